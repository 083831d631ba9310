/* The tables `calls` and `events` of SQL: an SQLite extension. Who loads it defines three
 * functions: strobe_functions(pattern), a byte per function number, 1 where the pattern fits,
 * strobe_value(what, thread, ordinal), a value of a call as JSON, and
 * strobe_place(function, isReturn, path), where a value lies; and the table watch_values
 * (src/db/sql/sqlValues.ts). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "distinct.h"
#include "scan.h"

SQLITE_EXTENSION_INIT1

static const struct column call_columns[] = {
    {"id", CALL_ID},
    {"parent_id", PARENT_ID},
    {"function_name", FUNCTION_NAME},
    {"signature", FUNCTION_SIGNATURE},
    {"module", FUNCTION_MODULE},
    {"source_file", FUNCTION_FILE},
    {"line_number", FUNCTION_LINE},
    {"thread_id", THREAD_ID},
    {"thread_name", THREAD_NAME},
    {"pid", PROCESS_ID},
    {"depth", CALL_DEPTH},
    {"timestamp_ns", TIMESTAMP},
    {"duration_ns", CALL_DURATION},
    {"end", CALL_END},
    {"arguments", ARGUMENTS},
    {"return_value", RETURN_VALUE},
    {"watch_values", WATCH_VALUES},
    {"function_pattern", PATTERN},
    {"time_from_ns", TIME_FROM},
    {"time_to_ns", TIME_TO},
    {"timestamp_us", TIMESTAMP_US},
    {"timestamp_ms", TIMESTAMP_MS},
    {"timestamp_s", TIMESTAMP_S},
    {"duration_us", DURATION_US},
    {"duration_ms", DURATION_MS},
    {"call_number", CALL_NUMBER},
    {"parent_number", PARENT_NUMBER},
    {"argument_0", ARGUMENT},
    {"argument_1", ARGUMENT + 1},
    {"argument_2", ARGUMENT + 2},
    {"argument_3", ARGUMENT + 3},
    {"argument_4", ARGUMENT + 4},
    {"argument_5", ARGUMENT + 5},
    {"argument_6", ARGUMENT + 6},
    {"argument_7", ARGUMENT + 7},
    {"return_number", RETURN_NUMBER},
    {"computed_0", COMPUTED},
    {"computed_1", COMPUTED + 1},
    {"computed_2", COMPUTED + 2},
    {"computed_3", COMPUTED + 3},
};

static const struct column event_columns[] = {
    {"id", CALL_ID},
    {"event_type", EVENT_TYPE},
    {"timestamp_ns", TIMESTAMP},
    {"duration_ns", CALL_DURATION},
    {"pid", PROCESS_ID},
    {"thread_id", THREAD_ID},
    {"thread_name", THREAD_NAME},
    {"parent_event_id", PARENT_ID},
    {"function_name", FUNCTION_NAME},
    {"function_name_raw", FUNCTION_LINKAGE},
    {"source_file", FUNCTION_FILE},
    {"line_number", FUNCTION_LINE},
    {"text", EVENT_TEXT},
    {"arguments", ARGUMENTS},
    {"return_value", RETURN_VALUE},
    {"watch_values", WATCH_VALUES},
    {"function_pattern", PATTERN},
    {"time_from_ns", TIME_FROM},
    {"time_to_ns", TIME_TO},
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
static const struct table_kind calls = {call_columns, COUNT(call_columns), false};
static const struct table_kind events = {event_columns, COUNT(event_columns), true};

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

bool call_column(const char *name, enum what *what) {
  for (int i = 0; i < COUNT(call_columns); i++) {
    if (sqlite3_stricmp(call_columns[i].name, name) != 0) continue;
    *what = call_columns[i].what;
    return is_by_function(*what) || is_of_thread(*what) || is_argument(*what) || is_json(*what) ||
           (number_of(*what).column != UP && number_of(*what).divisor > 0);
  }
  return false;
}

struct table {
  sqlite3_vtab base;
  const struct table_kind *kind;
  struct store *store;
};

struct cursor {
  sqlite3_vtab_cursor base;
  struct scan scan;
  /* Rows that are no calls come last; NULL: not yet, or at the end. */
  sqlite3_stmt *others;
  int64_t others_seen;
};

/* What a module is made with; the store is the connection's. */
struct made {
  const struct table_kind *kind;
  struct store *store;
};

static bool is_whole(enum what what) {
  if (what == FUNCTION_LINE || what == THREAD_ID || what == PROCESS_ID) return true;
  return number_of(what).divisor > 0 && number_of(what).column != UP && what != CALL_END;
}

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
    /* With a type, numbers are compared with numbers that are written as text. */
    snprintf(declared + length, sizeof declared - length, "%s\"%s\"%s%s", i ? "," : "",
             column->name, is_whole(column->what) ? " INTEGER" : "",
             column->what >= PATTERN || number_of(column->what).divisor > 1 ? " HIDDEN" : "");
  }
  strcat(declared, ")");
  int code = sqlite3_declare_vtab(db, declared);
  if (code != SQLITE_OK) return code;
  struct table *table = calloc(1, sizeof *table);
  if (!table) return SQLITE_NOMEM;
  table->kind = from->kind;
  table->store = from->store;
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  *opened = &table->base;
  return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *opened) {
  store_rest(((struct table *)opened)->store);
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
  return told(table, plan_best(asked->store, asked->kind, info));
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **opened) {
  (void)table;
  struct cursor *cursor = calloc(1, sizeof *cursor);
  if (!cursor) return SQLITE_NOMEM;
  *opened = &cursor->base;
  return SQLITE_OK;
}

static void leave(struct cursor *cursor) {
  scan_end(&cursor->scan);
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
  const struct filter *filter = &cursor->scan.filter;
  if (!table->kind->has_others || filter->has_pattern) return SQLITE_OK;
  int code = sqlite3_prepare_v2(table->store->db, others_sql, -1, &cursor->others, NULL);
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
  int code = scan_begin(&cursor->scan, ((struct table *)opened->pVtab)->store, plan, values);
  if (code == SQLITE_OK && !cursor->scan.block) code = begin_others(cursor);
  return told(opened->pVtab, code);
}

static int next(sqlite3_vtab_cursor *opened) {
  struct cursor *cursor = (struct cursor *)opened;
  struct scan *scan = &cursor->scan;
  if (!scan->block) return told(opened->pVtab, next_other(cursor));
  if (++scan->row_at < scan->row_count) return SQLITE_OK;
  int code = scan_next_slice(scan);
  if (code == SQLITE_OK && !scan->block) code = begin_others(cursor);
  return told(opened->pVtab, code);
}

static int at_end(sqlite3_vtab_cursor *opened) {
  const struct cursor *cursor = (const struct cursor *)opened;
  return !cursor->scan.block && !cursor->others;
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

static int give_value(sqlite3_context *result, struct scan *scan, const char *what) {
  struct store *store = scan->store;
  int code = store_statement(store, &store->value, "SELECT strobe_value(?, ?, ?)");
  if (code != SQLITE_OK) return code;
  sqlite3_bind_text(store->value, 1, what, -1, SQLITE_STATIC);
  sqlite3_bind_int64(store->value, 2, scan->block->thread_key);
  sqlite3_bind_int64(store->value, 3, scan->block->first + scan_row(scan));
  if (sqlite3_step(store->value) == SQLITE_ROW)
    sqlite3_result_value(result, sqlite3_column_value(store->value, 0));
  return sqlite3_reset(store->value);
}

/* More different ones than are kept are asked for. */
static int give_json(sqlite3_context *result, struct scan *scan, enum what what, const char *name) {
  int code = argument_give(result, scan, what);
  return code == SQLITE_TOOBIG ? give_value(result, scan, name) : code;
}

static int give_number(sqlite3_context *result, struct scan *scan, enum what what) {
  int64_t number;
  int code = scan_number(scan, what, &number);
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
  case PARENT_NUMBER:
    if (number > 0) sqlite3_result_int64(result, scan_call_number(scan) - number);
    break;
  case CALL_END: sqlite3_result_text(result, end_name(number), -1, SQLITE_STATIC); break;
  default: sqlite3_result_int64(result, number);
  }
  return SQLITE_OK;
}

static int give_function(sqlite3_context *result, struct scan *scan, enum what what) {
  const struct function *function;
  int code = scan_function(scan, what, &function);
  if (code != SQLITE_OK) return code;
  if (what != FUNCTION_LINE) give_text(result, text_of(what, function, NULL));
  else if (function->line >= 0) sqlite3_result_int64(result, function->line);
  return SQLITE_OK;
}

/* It is known in its own order only: the statement as it was written is answered then. */
static int give_computed(sqlite3_context *result, const struct scan *scan, enum what what) {
  sqlite3_value *value = sorted_value(scan, what);
  if (!value) return SQLITE_MISUSE;
  sqlite3_result_value(result, value);
  return SQLITE_OK;
}

static int give_call(sqlite3_context *result, struct scan *scan, enum what what) {
  const struct thread *thread = scan->block->thread;
  switch (what) {
  case CALL_ID: give_id(result, scan->block, scan->block->first + scan_row(scan)); return SQLITE_OK;
  case FUNCTION_NAME:
  case FUNCTION_SIGNATURE:
  case FUNCTION_MODULE:
  case FUNCTION_FILE:
  case FUNCTION_LINKAGE:
  case FUNCTION_LINE: return give_function(result, scan, what);
  case THREAD_NAME: give_text(result, &thread->name); return SQLITE_OK;
  case THREAD_ID: sqlite3_result_int64(result, thread->tid); return SQLITE_OK;
  case PROCESS_ID: sqlite3_result_int64(result, thread->pid); return SQLITE_OK;
  case ARGUMENTS: return give_json(result, scan, what, "arguments");
  case RETURN_VALUE: return give_json(result, scan, what, "return_value");
  case WATCH_VALUES: return give_value(result, scan, "watch_values");
  case EVENT_TYPE: sqlite3_result_text(result, "call", 4, SQLITE_STATIC); return SQLITE_OK;
  case CALL_NUMBER: sqlite3_result_int64(result, scan_call_number(scan)); return SQLITE_OK;
  case EVENT_TEXT:
  case PATTERN:
  case TIME_FROM:
  case TIME_TO: return SQLITE_OK;
  default:
    if (is_argument(what)) return argument_give(result, scan, what);
    return is_computed(what) ? give_computed(result, scan, what) : give_number(result, scan, what);
  }
}

static void give_other(sqlite3_context *result, sqlite3_stmt *row, enum what what) {
  /* By their places in others_sql, from 1. */
  static const int columns[] = {[CALL_ID] = 1,    [EVENT_TYPE] = 2,  [TIMESTAMP] = 3,
                                [PROCESS_ID] = 4, [EVENT_TEXT] = 5,  [THREAD_ID] = 6,
                                [PARENT_ID] = 7,  [WATCH_VALUES] = 8};
  int column = what < COUNT(columns) ? columns[what] : 0;
  if (column > 0) sqlite3_result_value(result, sqlite3_column_value(row, column - 1));
}

static int column(sqlite3_vtab_cursor *opened, sqlite3_context *result, int i) {
  struct cursor *cursor = (struct cursor *)opened;
  enum what what = ((const struct table *)opened->pVtab)->kind->columns[i].what;
  if (cursor->scan.block) return told(opened->pVtab, give_call(result, &cursor->scan, what));
  give_other(result, cursor->others, what);
  return SQLITE_OK;
}

/* A thread has fewer than 2^40 calls. */
static int rowid(sqlite3_vtab_cursor *opened, sqlite3_int64 *id) {
  const struct cursor *cursor = (const struct cursor *)opened;
  const struct block *block = cursor->scan.block;
  *id = block ? (block->thread_key << 40) + block->first + scan_row(&cursor->scan)
              : -cursor->others_seen;
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
  /* Both tables have one store. */
  if (from->kind == &calls) store_free(from->store);
  free(from);
}

static int make_table(sqlite3 *db, const char *name, const struct table_kind *kind,
                      struct store *store) {
  struct made *made = malloc(sizeof *made);
  if (!made) return SQLITE_NOMEM;
  *made = (struct made){kind, store};
  return sqlite3_create_module_v2(db, name, &module, made, free_made);
}

__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3 *db, char **error,
                                                                  const sqlite3_api_routines *api) {
  (void)error;
  SQLITE_EXTENSION_INIT2(api);
  struct store *store = calloc(1, sizeof *store);
  if (!store) return SQLITE_NOMEM;
  store->db = db;
  int code = make_table(db, "calls", &calls, store);
  if (code == SQLITE_OK) code = make_table(db, "events", &events, store);
  if (code == SQLITE_OK) code = computed_define(store, db);
  if (code == SQLITE_OK) code = arguments_define(store, db);
  return code == SQLITE_OK ? distinct_define(db) : code;
}
