#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operators in a plan. */
enum { IS = 'e', ABOVE = 'g', FROM = 'G', BELOW = 'l', UP_TO = 'L', LIKE = 'k', GLOB = 'b' };
#define ORDERED '|'
#define SORTED '#'
#define SORTED_ONCE '%'
#define LETTER 'A'

/* What an order is wanted for: what sqlite3_vtab_distinct answers. */
enum { GROUPED = 1, DISTINCT, DISTINCT_IN_ORDER };

static const double all_calls = 1e7;

static bool is_number(enum what what) { return what == TIMESTAMP || what == CALL_DURATION; }
static bool is_parameter(enum what what) { return what >= PATTERN && what <= TIME_TO; }
static bool is_id(enum what what) { return what == CALL_ID || what == PARENT_ID; }

/* The letter of an operator that the column is asked with; 0: SQLite alone looks. */
static char operator_of(sqlite3_index_info *info, int i, enum what what) {
  bool is_text = is_of_function(what) || what == THREAD_NAME || is_id(what);
  switch (info->aConstraint[i].op) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    if (is_text && strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) return 0;
    return is_text || is_of_thread(what) || is_number(what) || is_parameter(what) ? IS : 0;
  case SQLITE_INDEX_CONSTRAINT_GT: return is_number(what) ? ABOVE : 0;
  case SQLITE_INDEX_CONSTRAINT_GE: return is_number(what) ? FROM : 0;
  case SQLITE_INDEX_CONSTRAINT_LT: return is_number(what) ? BELOW : 0;
  case SQLITE_INDEX_CONSTRAINT_LE: return is_number(what) ? UP_TO : 0;
  case SQLITE_INDEX_CONSTRAINT_LIKE: return is_of_function(what) || what == THREAD_NAME ? LIKE : 0;
  case SQLITE_INDEX_CONSTRAINT_GLOB: return is_of_function(what) || what == THREAD_NAME ? GLOB : 0;
  default: return 0;
  }
}

/* The share of calls that are left, as a guess. */
static double share(enum what what, char operator) {
  if (what == CALL_ID) return 1 / all_calls;
  if (what == PARENT_ID) return 20 / all_calls;
  if (is_number(what)) return operator == IS ? 1e-4 : 0.3;
  return is_of_function(what) || what == PATTERN ? 0.05 : 0.5;
}

/* The columns that a statement names, a bit each. */
static uint64_t used_columns(const struct table_kind *kind, const sqlite3_index_info *info) {
  uint64_t used = 0;
  for (int i = 0; i < kind->count; i++)
    if (info->colUsed >> i & 1) used |= (uint64_t)1 << kind->columns[i].what;
  return used;
}

static int plan_order(struct store *store, const struct table_kind *kind, sqlite3_index_info *info,
                      char *plan, int *at) {
  if (kind->has_others || info->nOrderBy == 0 || info->nOrderBy > MOST_ORDERS) return SQLITE_OK;
  struct order order = {.count = info->nOrderBy};
  for (int i = 0; i < order.count; i++) {
    int column = info->aOrderBy[i].iColumn;
    order.by[i] = column < 0 ? CALL_ID : kind->columns[column].what;
    order.descends[i] = info->aOrderBy[i].desc;
  }
  int wanted = sqlite3_vtab_distinct(info);
  uint64_t used = used_columns(kind, info);
  order.is_of_groups = wanted == GROUPED || wanted == DISTINCT;
  order.is_of_rows = !order_is_of_slices(&order);
  if (order.is_of_rows) {
    bool can;
    int code = order_can_sort(store, &order, used, &can);
    if (code != SQLITE_OK || !can) return code;
    for (int i = 0; i < order.count; i++) used &= ~((uint64_t)1 << order.by[i]);
    order.is_once = used == 0 && (wanted == DISTINCT || wanted == DISTINCT_IN_ORDER);
  }
  plan[(*at)++] = order.is_once ? SORTED_ONCE : order.is_of_rows ? SORTED : ORDERED;
  for (int i = 0; i < order.count; i++) {
    plan[(*at)++] = (char)(LETTER + order.by[i]);
    plan[(*at)++] = order.descends[i] ? '-' : '+';
  }
  info->orderByConsumed = 1;
  return SQLITE_OK;
}

int plan_best(struct store *store, const struct table_kind *kind, sqlite3_index_info *info) {
  char *plan = sqlite3_malloc(2 * (info->nConstraint + MOST_ORDERS) + 2);
  if (!plan) return SQLITE_NOMEM;
  int at = 0;
  double rows = all_calls;
  for (int i = 0; i < info->nConstraint; i++) {
    int column = info->aConstraint[i].iColumn;
    if (column < 0) continue;
    enum what what = kind->columns[column].what;
    char operator = operator_of(info, i, what);
    if (!operator) continue;
    if (!info->aConstraint[i].usable) {
      if (!is_parameter(what)) continue;
      sqlite3_free(plan);
      return SQLITE_CONSTRAINT;
    }
    plan[at++] = (char)(LETTER + what);
    plan[at++] = operator;
    info->aConstraintUsage[i].argvIndex = at / 2;
    /* Among all that a call called SQLite finds what it called itself. */
    bool is_exact = what != PARENT_ID && !kind->has_others;
    info->aConstraintUsage[i].omit = is_parameter(what) || is_exact;
    rows *= share(what, operator);
    if (what == CALL_ID) info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  }
  int code = plan_order(store, kind, info, plan, &at);
  plan[at] = 0;
  info->idxStr = plan;
  info->needToFreeIdxStr = 1;
  info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
  info->estimatedCost = rows < 1 ? 10 : 10 + rows;
  return code;
}

static bool text_passes(const struct text *text, char operator, sqlite3_value *value) {
  if (!text->bytes || sqlite3_value_type(value) == SQLITE_NULL) return false;
  if (operator != IS) {
    const char *wanted = (const char *)sqlite3_value_text(value);
    if (!wanted) return false;
    return (operator == LIKE ? sqlite3_strlike(wanted, text->bytes, 0)
                             : sqlite3_strglob(wanted, text->bytes)) == 0;
  }
  if (sqlite3_value_type(value) != SQLITE_TEXT) return false;
  const void *wanted = sqlite3_value_text(value);
  return sqlite3_value_bytes(value) == text->length &&
         memcmp(wanted, text->bytes, (size_t)text->length) == 0;
}

static bool number_passes(int64_t number, sqlite3_value *value) {
  int type = sqlite3_value_numeric_type(value);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value) == number;
  return type == SQLITE_FLOAT && sqlite3_value_double(value) == (double)number;
}

/* Leaves 1 only where all that was asked so far passes. */
static uint8_t *passing(uint8_t **known, uint32_t count) {
  if (!*known) {
    *known = malloc((size_t)count + 1);
    if (*known) memset(*known, 1, (size_t)count + 1);
  }
  return *known;
}

static int restrict_functions(struct store *store, enum what what, char operator,
                              sqlite3_value *value, struct filter *filter) {
  uint8_t *functions = passing(&filter->functions, store->function_count);
  if (!functions) return SQLITE_NOMEM;
  for (uint32_t i = 0; i < store->function_count; i++)
    functions[i] &= text_passes(text_of(what, &store->functions[i], NULL), operator, value);
  return SQLITE_OK;
}

static int restrict_threads(struct store *store, enum what what, char operator,
                            sqlite3_value *value, struct filter *filter) {
  uint8_t *threads = passing(&filter->threads, store->thread_count);
  if (!threads) return SQLITE_NOMEM;
  for (uint32_t i = 0; i <= store->thread_count; i++) {
    const struct thread *thread = &store->threads[i];
    threads[i] &= what == THREAD_NAME
                      ? text_passes(&thread->name, operator, value)
                      : number_passes(what == THREAD_ID ? thread->tid : thread->pid, value);
  }
  return SQLITE_OK;
}

/* The whole numbers from a bound on, or up to it. */
static int64_t whole(double bound) {
  if (!(bound > -9.2e18)) return INT64_MIN;
  return bound < 9.2e18 ? (int64_t)bound : INT64_MAX;
}

static void restrict_numbers(char operator, sqlite3_value *value, int64_t *from, int64_t *to,
                             bool *is_none) {
  int type = sqlite3_value_numeric_type(value);
  int64_t least = INT64_MIN, most = INT64_MAX;
  if (type == SQLITE_NULL) *is_none = true;
  else if (type == SQLITE_INTEGER) {
    int64_t bound = sqlite3_value_int64(value);
    if (operator == IS || operator == FROM) least = bound;
    if (operator == IS || operator == UP_TO) most = bound;
    if (operator == ABOVE && bound < INT64_MAX) least = bound + 1;
    if (operator == BELOW && bound > INT64_MIN) most = bound - 1;
  } else if (type == SQLITE_FLOAT) {
    double bound = sqlite3_value_double(value);
    if (operator == IS || operator == FROM) least = whole(ceil(bound));
    if (operator == IS || operator == UP_TO) most = whole(floor(bound));
    if (operator == ABOVE) least = whole(floor(bound) + 1);
    if (operator == BELOW) most = whole(ceil(bound) - 1);
    /* Numbers are below any text. */
  } else if (operator != BELOW && operator != UP_TO) *is_none = true;
  if (least > *from) *from = least;
  if (most < *to) *to = most;
}

/* Reads a number as ids have it; returns what follows, NULL when there is none. */
static const char *id_number(const char *text, int64_t *number) {
  const char *first = text;
  *number = 0;
  for (; *text >= '0' && *text <= '9' && text - first < 18; text++)
    *number = *number * 10 + *text - '0';
  bool is_padded = *first == '0' && text - first > 1;
  return text == first || is_padded ? NULL : text;
}

/* `c1.42` and nothing else. */
static bool read_id(sqlite3_value *value, int64_t *thread, int64_t *ordinal) {
  const char *text =
      sqlite3_value_type(value) == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : NULL;
  *thread = *ordinal = 0;
  const char *rest = text && *text == 'c' ? id_number(text + 1, thread) : NULL;
  rest = rest && *rest == '.' ? id_number(rest + 1, ordinal) : NULL;
  return rest && *rest == 0 && rest - text == sqlite3_value_bytes(value);
}

static void restrict_id(sqlite3_value *value, struct filter *filter) {
  int64_t thread, ordinal;
  if (!read_id(value, &thread, &ordinal)) filter->is_none = true;
  if (filter->is_one && (filter->thread != thread || filter->ordinal != ordinal))
    filter->is_none = true;
  filter->is_one = true;
  filter->thread = thread;
  filter->ordinal = ordinal;
}

/* What a call called lies in its thread and in its time. One that is gone restricts to its thread.
 */
static int restrict_parent(struct store *store, sqlite3_value *value, struct filter *filter) {
  int64_t key, ordinal;
  if (!read_id(value, &key, &ordinal)) filter->is_none = true;
  uint8_t *threads = passing(&filter->threads, store->thread_count);
  if (!threads) return SQLITE_NOMEM;
  for (uint32_t i = 0; i <= store->thread_count; i++)
    threads[i] &= (uint8_t)(store->threads[i].key == key);
  struct block *block = store_find(store, key, ordinal);
  if (!block || filter->is_none) return SQLITE_OK;
  const int64_t *starts, *durations, *ends;
  int code = store_numbers(store, block, START, &starts);
  if (code == SQLITE_OK) code = store_numbers(store, block, DURATION, &durations);
  if (code == SQLITE_OK) code = store_numbers(store, block, END, &ends);
  if (code != SQLITE_OK) return code;
  int64_t row = ordinal - block->first, start = starts[row], duration = durations[row];
  /* What a call went on in may begin after its end. */
  bool is_around = duration >= 0 && (end_is_returned(ends[row]) || end_is_unwound(ends[row]));
  if (start > filter->time_from) filter->time_from = start;
  if (is_around && start + duration < filter->time_to) filter->time_to = start + duration;
  return SQLITE_OK;
}

/* The language of patterns is known to who loaded the extension. */
static int restrict_pattern(struct store *store, sqlite3_value *value, struct filter *filter) {
  int type = sqlite3_value_type(value);
  if (type != SQLITE_TEXT && type != SQLITE_NULL) return SQLITE_MISMATCH;
  if (type == SQLITE_NULL || sqlite3_value_bytes(value) == 0) return SQLITE_OK;
  filter->has_pattern = true;
  uint8_t *functions = passing(&filter->functions, store->function_count);
  if (!functions) return SQLITE_NOMEM;
  sqlite3_stmt *fitting = NULL;
  int code = sqlite3_prepare_v2(store->db, "SELECT strobe_functions(?)", -1, &fitting, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_value(fitting, 1, value);
  if (sqlite3_step(fitting) == SQLITE_ROW) {
    const uint8_t *passes = sqlite3_column_blob(fitting, 0);
    uint32_t count = (uint32_t)sqlite3_column_bytes(fitting, 0);
    for (uint32_t i = 0; i < store->function_count; i++)
      functions[i] &= i < count && passes[i] == 1;
  }
  return sqlite3_finalize(fitting);
}

static int restrict_calls(struct store *store, enum what what, char operator, sqlite3_value *value,
                          struct filter *filter) {
  if (is_of_function(what)) return restrict_functions(store, what, operator, value, filter);
  if (is_of_thread(what)) return restrict_threads(store, what, operator, value, filter);
  int type = sqlite3_value_numeric_type(value);
  switch (what) {
  case PATTERN: return restrict_pattern(store, value, filter);
  case TIME_FROM:
  case TIME_TO:
    if (type == SQLITE_NULL) return SQLITE_OK;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return SQLITE_MISMATCH;
    restrict_numbers(what == TIME_FROM ? FROM : UP_TO, value, &filter->time_from, &filter->time_to,
                     &filter->is_none);
    return SQLITE_OK;
  case PARENT_ID: return restrict_parent(store, value, filter);
  case TIMESTAMP:
    restrict_numbers(operator, value, &filter->time_from, &filter->time_to, &filter->is_none);
    return SQLITE_OK;
  case CALL_DURATION:
    filter->is_timed = true;
    restrict_numbers(operator, value, &filter->least_ns, &filter->most_ns, &filter->is_none);
    return SQLITE_OK;
  default: restrict_id(value, filter); return SQLITE_OK;
  }
}

static bool is_order(char letter) {
  return letter == ORDERED || letter == SORTED || letter == SORTED_ONCE;
}

int plan_read(struct store *store, const char *plan, sqlite3_value **values, struct filter *filter,
              struct order *order) {
  *filter = (struct filter){
      .time_from = INT64_MIN, .time_to = INT64_MAX, .least_ns = INT64_MIN, .most_ns = INT64_MAX};
  *order = (struct order){0};
  int code = SQLITE_OK;
  for (; code == SQLITE_OK && *plan && !is_order(*plan); plan += 2)
    code = restrict_calls(store, (enum what)(plan[0] - LETTER), plan[1], *values++, filter);
  if (code != SQLITE_OK || !*plan) return code;
  order->is_once = *plan == SORTED_ONCE;
  order->is_of_rows = *plan == SORTED || order->is_once;
  for (plan++; *plan; plan += 2) {
    order->by[order->count] = (enum what)(plan[0] - LETTER);
    order->descends[order->count++] = plan[1] == '-';
  }
  return SQLITE_OK;
}

void filter_free(struct filter *filter) {
  free(filter->functions);
  free(filter->threads);
  filter->functions = filter->threads = NULL;
}
