/* The tables `calls` and `events` of SQL: an SQLite extension. Who loads it defines three
 * functions: strobe_functions(pattern), a byte per function number, 1 where the pattern fits,
 * strobe_value(what, thread, ordinal), a value of a call as JSON, and
 * strobe_place(function, isReturn, path), where a value lies; and the table watch_values
 * (src/db/sql/sqlValues.ts). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "rows.h"

SQLITE_EXTENSION_INIT1

/* Events that are rows of tables. */
static const char others_sql[] =
    "SELECT id, event_type, time_ns, pid, text, thread_id, parent_event_id, watch_values FROM ("
    "SELECT 'o' || id AS id, CASE stream WHEN 1 THEN 'stdout' ELSE 'stderr' END AS event_type,"
    " time_ns, pid, text, NULL AS thread_id, NULL AS parent_event_id, NULL AS watch_values FROM "
    "output"
    " UNION ALL SELECT NULL, 'process', time_ns, pid, text, NULL, NULL, NULL FROM processes"
    " UNION ALL SELECT NULL, 'exception', time_ns, pid, text, tid, NULL, NULL FROM exceptions"
    " UNION ALL SELECT NULL, 'crash', time_ns, pid, text, NULL, NULL, NULL FROM crashes"
    " UNION ALL SELECT NULL, 'loss', time_ns, NULL, count || ' events: ' || cause, NULL, NULL, NULL"
    " FROM losses"
    " UNION ALL SELECT NULL, 'variable_snapshot', time_ns, pid, text, thread_id, call_id,"
    " json_array(json_object('label', label, 'at', at, 'value', value)) FROM watch_values"
    ") WHERE time_ns BETWEEN ? AND ?";

/* What both tables of a connection read. */
struct shared {
  struct store store;
  struct arguments arguments;
};

struct table {
  sqlite3_vtab base;
  const struct table_kind *kind;
  struct shared *shared;
};

struct cursor {
  sqlite3_vtab_cursor base;
  struct rows rows;
  /* Rows that are no calls come last; NULL: not yet, or at the end. */
  sqlite3_stmt *others;
  int64_t others_seen;
};

/* What a module is made with. */
struct made {
  const struct table_kind *kind;
  struct shared *shared;
};

static int connect(sqlite3 *db, void *made, int count, const char *const *words,
                   sqlite3_vtab **opened, char **error) {
  (void)count;
  (void)words;
  (void)error;
  const struct made *from = made;
  char declared[2048] = "CREATE TABLE x(";
  for (int i = 0; i < from->kind->count; i++) {
    const struct column *column = &from->kind->columns[i];
    size_t length = strlen(declared);
    /* With a type, numbers are compared with numbers that are written as text. HIDDEN alone is one,
     * too. */
    const char *type = is_whole(column->what)         ? " INTEGER"
                       : is_named_value(column->what) ? " BLOB"
                                                      : "";
    snprintf(declared + length, sizeof declared - length, "%s\"%s\"%s%s", i ? "," : "",
             column->name, type, is_hidden(from->kind, column->what) ? " HIDDEN" : "");
  }
  strcat(declared, ")");
  int code = sqlite3_declare_vtab(db, declared);
  if (code != SQLITE_OK) return code;
  struct table *table = calloc(1, sizeof *table);
  if (!table) return SQLITE_NOMEM;
  table->kind = from->kind;
  table->shared = from->shared;
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  *opened = &table->base;
  return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *opened) {
  struct shared *shared = ((struct table *)opened)->shared;
  store_rest(&shared->store);
  arguments_rest(&shared->arguments);
  free(opened);
  return SQLITE_OK;
}

/* Tells what went wrong, unless the connection knows better. */
static int told(sqlite3_vtab *table, int code) {
  if (code == SQLITE_OK || table->zErrMsg) return code;
  if (code == SQLITE_CORRUPT_VTAB) table->zErrMsg = sqlite3_mprintf("a block of calls is damaged");
  if (code == SQLITE_MISMATCH)
    table->zErrMsg = sqlite3_mprintf(
        "function_pattern is a text ('' for any), time_from_ns and time_to_ns are numbers:"
        " nanoseconds since the session began");
  return code;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  const struct table *asked = (const struct table *)table;
  return told(table, plan_best(&asked->shared->store, asked->kind, info));
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **opened) {
  (void)table;
  struct cursor *cursor = calloc(1, sizeof *cursor);
  if (!cursor) return SQLITE_NOMEM;
  *opened = &cursor->base;
  return SQLITE_OK;
}

static void leave(struct cursor *cursor) {
  rows_end(&cursor->rows);
  sqlite3_finalize(cursor->others);
  cursor->others = NULL;
  cursor->others_seen = 0;
}

static int close_cursor(sqlite3_vtab_cursor *opened) {
  leave((struct cursor *)opened);
  free(opened);
  return SQLITE_OK;
}

static int next_other(struct cursor *cursor) {
  cursor->others_seen++;
  int code = sqlite3_step(cursor->others);
  if (code == SQLITE_ROW) return SQLITE_OK;
  code = sqlite3_finalize(cursor->others);
  cursor->others = NULL;
  return code;
}

/* After the last call. */
static int begin_others(struct cursor *cursor) {
  const struct table *table = (const struct table *)cursor->base.pVtab;
  const struct filter *filter = &cursor->rows.scan.filter;
  if (!table->kind->has_others || filter->has_pattern) return SQLITE_OK;
  int code = sqlite3_prepare_v2(table->shared->store.db, others_sql, -1, &cursor->others, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(cursor->others, 1, filter->time_from);
  sqlite3_bind_int64(cursor->others, 2, filter->time_to);
  return next_other(cursor);
}

static int filter_rows(sqlite3_vtab_cursor *opened, int number, const char *plan, int count,
                       sqlite3_value **values) {
  (void)number;
  (void)count;
  struct cursor *cursor = (struct cursor *)opened;
  leave(cursor);
  struct shared *shared = ((struct table *)opened->pVtab)->shared;
  int code = rows_begin(&cursor->rows, &shared->arguments, plan, values);
  if (code == SQLITE_OK && !cursor->rows.scan.block) code = begin_others(cursor);
  return told(opened->pVtab, code);
}

static int next(sqlite3_vtab_cursor *opened) {
  struct cursor *cursor = (struct cursor *)opened;
  if (!cursor->rows.scan.block) return told(opened->pVtab, next_other(cursor));
  int code = rows_next(&cursor->rows);
  if (code == SQLITE_OK && !cursor->rows.scan.block) code = begin_others(cursor);
  return told(opened->pVtab, code);
}

static int at_end(sqlite3_vtab_cursor *opened) {
  const struct cursor *cursor = (const struct cursor *)opened;
  return !cursor->rows.scan.block && !cursor->others;
}

static void give_text(sqlite3_context *result, const struct text *text) {
  if (text->bytes) sqlite3_result_text(result, text->bytes, text->length, SQLITE_STATIC);
}

/* Writes the digits of a number that is not negative to before `end`; returns where they begin. */
static char *digits(char *end, int64_t number) {
  do *--end = (char)('0' + number % 10);
  while (number /= 10);
  return end;
}

/* Joins ask for one of each call. */
static void give_id(sqlite3_context *result, const struct block *block, int64_t ordinal) {
  char id[48];
  char *end = id + sizeof id, *at = digits(end, ordinal);
  *--at = '.';
  at = digits(at, block->thread_key);
  *--at = 'c';
  sqlite3_result_text(result, at, (int)(end - at), SQLITE_TRANSIENT);
}

static int give_number(sqlite3_context *result, struct rows *rows, enum what what) {
  const struct scan *scan = &rows->scan;
  int64_t number;
  int code = rows_number(rows, what, &number);
  if (code != SQLITE_OK) return code;
  switch (what) {
  case PARENT_ID:
    if (number > 0) give_id(result, scan->block, scan->block->first + scan_row(scan) - number);
    break;
  case CALL_DURATION:
  case DURATION_US:
  case DURATION_MS:
    if (number >= 0) sqlite3_result_int64(result, number);
    break;
  case CALL_END: sqlite3_result_text(result, end_name(number), -1, SQLITE_STATIC); break;
  default: sqlite3_result_int64(result, number);
  }
  return SQLITE_OK;
}

static int give_function(sqlite3_context *result, struct rows *rows, enum what what) {
  const struct function *function;
  int code = rows_function(rows, what, &function);
  if (code != SQLITE_OK) return code;
  if (what != FUNCTION_LINE) give_text(result, text_of(what, function, NULL));
  else if (function->line >= 0) sqlite3_result_int64(result, function->line);
  return SQLITE_OK;
}

static int give_call(sqlite3_context *result, struct cursor *cursor, enum what what) {
  struct arguments *arguments = &((struct table *)cursor->base.pVtab)->shared->arguments;
  struct rows *rows = &cursor->rows;
  struct block *block = rows->scan.block;
  const struct thread *thread = block->thread;
  uint32_t row = scan_row(&rows->scan);
  switch (what) {
  case CALL_ID: give_id(result, block, block->first + row); return SQLITE_OK;
  case FUNCTION_NAME:
  case FUNCTION_SIGNATURE:
  case FUNCTION_MODULE:
  case FUNCTION_FILE:
  case FUNCTION_LINKAGE:
  case FUNCTION_LINE: return give_function(result, rows, what);
  case THREAD_NAME: give_text(result, &thread->name); return SQLITE_OK;
  case THREAD_ID: sqlite3_result_int64(result, thread->tid); return SQLITE_OK;
  case PROCESS_ID: sqlite3_result_int64(result, thread->pid); return SQLITE_OK;
  case RETURN_NUMBER: return argument_give_number(result, arguments, block, row);
  case WATCH_VALUES: return argument_ask(result, arguments, "watch_values", block, row);
  case SUSPENDED: return argument_ask(result, arguments, "suspended_ns", block, row);
  case STRAND: return argument_ask(result, arguments, "strand", block, row);
  case EXCEPTION: return argument_ask(result, arguments, "exception", block, row);
  case EVENT_TYPE: sqlite3_result_text(result, "call", 4, SQLITE_STATIC); return SQLITE_OK;
  case EVENT_TEXT:
  case PATTERN:
  case TIME_FROM:
  case TIME_TO: return SQLITE_OK;
  default:
    return value_column(what) >= 0 ? rows_give_value(rows, what, result)
                                   : give_number(result, rows, what);
  }
}

static void give_other(sqlite3_context *result, sqlite3_stmt *row, enum what what) {
  /* By their places in others_sql, from 1. */
  static const int columns[] = {[CALL_ID] = 1,    [EVENT_TYPE] = 2,  [TIMESTAMP] = 3,
                                [PROCESS_ID] = 4, [EVENT_TEXT] = 5,  [THREAD_ID] = 6,
                                [PARENT_ID] = 7,  [WATCH_VALUES] = 8};
  int column = what < sizeof columns / sizeof *columns ? columns[what] : 0;
  if (column > 0) sqlite3_result_value(result, sqlite3_column_value(row, column - 1));
}

static int column(sqlite3_vtab_cursor *opened, sqlite3_context *result, int i) {
  struct cursor *cursor = (struct cursor *)opened;
  enum what what = ((const struct table *)opened->pVtab)->kind->columns[i].what;
  if (cursor->rows.scan.block) return told(opened->pVtab, give_call(result, cursor, what));
  give_other(result, cursor->others, what);
  return SQLITE_OK;
}

/* A thread has fewer than 2^40 calls. */
static int rowid(sqlite3_vtab_cursor *opened, sqlite3_int64 *id) {
  const struct cursor *cursor = (const struct cursor *)opened;
  const struct scan *scan = &cursor->rows.scan;
  const struct block *block = scan->block;
  *id = block ? (block->thread_key << 40) + block->first + scan_row(scan) : -cursor->others_seen;
  return SQLITE_OK;
}

/* Without xCreate a table is there without being made. */
static const sqlite3_module module = {
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter_rows,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = rowid,
};

static void free_made(void *made) {
  struct made *from = made;
  if (from->kind == &calls_kind) {
    arguments_free(&from->shared->arguments);
    store_free(&from->shared->store);
    free(from->shared);
  }
  free(from);
}

static int make_table(sqlite3 *db, const char *name, const struct table_kind *kind,
                      struct shared *shared) {
  struct made *made = malloc(sizeof *made);
  if (!made) return SQLITE_NOMEM;
  *made = (struct made){kind, shared};
  return sqlite3_create_module_v2(db, name, &module, made, free_made);
}

__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3 *db, char **error,
                                                                  const sqlite3_api_routines *api) {
  (void)error;
  SQLITE_EXTENSION_INIT2(api);
  struct shared *shared = calloc(1, sizeof *shared);
  if (!shared) return SQLITE_NOMEM;
  shared->store.db = db;
  shared->arguments.store = &shared->store;
  int code = make_table(db, "calls", &calls_kind, shared);
  if (code == SQLITE_OK) code = make_table(db, "events", &events_kind, shared);
  return code == SQLITE_OK ? arguments_define(&shared->arguments) : code;
}
