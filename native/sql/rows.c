#include "rows.h"

static int next_sorted(struct rows *rows) {
  struct block *block = NULL;
  uint32_t row = 0;
  sorted_next(&rows->sorted, &block, &row);
  scan_stand_on(&rows->scan, block, row);
  return SQLITE_OK;
}

int rows_begin(struct rows *rows, struct arguments *arguments, const char *plan,
               sqlite3_value **values) {
  struct store *store = arguments->store;
  rows->arguments = arguments;
  struct order order = {0};
  int code = store_load(store);
  if (code == SQLITE_OK) code = plan_read(store, plan, values, &rows->scan.filter, &order);
  bool is_sorted = order.is_of_rows && !rows->scan.filter.is_one && !rows->scan.filter.is_none;
  if (code == SQLITE_OK)
    code = scan_begin(&rows->scan, store, is_sorted ? &(struct order){0} : &order);
  if (code != SQLITE_OK || !is_sorted) return code;
  code = sorted_begin(&rows->sorted, arguments, &rows->scan, &order);
  /* Who asks again has them sorted by SQLite. */
  if (code == SQLITE_TOOBIG) store->has_many_values = true;
  return code == SQLITE_OK ? next_sorted(rows) : code;
}

int rows_next(struct rows *rows) {
  if (rows->sorted.words) return next_sorted(rows);
  return ++rows->scan.row_at < rows->scan.row_count ? SQLITE_OK : scan_next_slice(&rows->scan);
}

void rows_end(struct rows *rows) {
  scan_end(&rows->scan);
  sorted_end(&rows->sorted);
}

int rows_number(struct rows *rows, enum what what, int64_t *number) {
  uint64_t call = block_call_number(rows->scan.block, scan_row(&rows->scan));
  if (rows->sorted.words && sorted_number(&rows->sorted, what, call, number)) return SQLITE_OK;
  return scan_number(&rows->scan, what, number);
}

int rows_give_value(struct rows *rows, enum what what, sqlite3_context *result) {
  struct scan *scan = &rows->scan;
  if (rows->sorted.words && sorted_give(&rows->sorted, what, result)) return SQLITE_OK;
  return argument_give(result, rows->arguments, value_column(what), scan->block, scan_row(scan));
}

int rows_function(struct rows *rows, enum what what, const struct function **function) {
  *function = rows->sorted.words ? sorted_function(&rows->sorted, what) : NULL;
  return *function ? SQLITE_OK : scan_function(&rows->scan, function);
}
