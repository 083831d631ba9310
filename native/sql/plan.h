/* What SQLite asks of a table and what of it the blocks answer: xBestIndex writes it down as text,
 * xFilter reads it. */
#ifndef STROBE_SQL_PLAN_H
#define STROBE_SQL_PLAN_H

#include "store.h"

/* Expressions that rows of one statement are grouped by. */
#define MOST_COMPUTED 4

/* What a column is, whatever table it is of. */
enum what {
  CALL_ID,
  PARENT_ID,
  FUNCTION_NAME,
  FUNCTION_SIGNATURE,
  FUNCTION_MODULE,
  FUNCTION_FILE,
  FUNCTION_LINKAGE,
  FUNCTION_LINE,
  THREAD_NAME,
  THREAD_ID,
  PROCESS_ID,
  CALL_DEPTH,
  TIMESTAMP,
  CALL_DURATION,
  CALL_END,
  ARGUMENTS,
  RETURN_VALUE,
  WATCH_VALUES,
  TIMESTAMP_US,
  TIMESTAMP_MS,
  TIMESTAMP_S,
  DURATION_US,
  DURATION_MS,
  EVENT_TYPE,
  EVENT_TEXT,
  PATTERN,
  TIME_FROM,
  TIME_TO,
  /* Numbers that stand for the id of a call and of its caller. */
  CALL_NUMBER,
  PARENT_NUMBER,
  /* The first of those that a statement defines of values (arguments.h). */
  ARGUMENT,
  /* What was returned as a number, for sums. */
  RETURN_NUMBER = ARGUMENT + VALUE_COLUMNS - 1,
  /* The first of those that a statement defines of other columns (computed.h). */
  COMPUTED,
  WHATS = COMPUTED + MOST_COMPUTED,
};

struct column {
  const char *name;
  enum what what;
};

struct table_kind {
  const struct column *columns;
  int count;
  /* Rows that are no calls follow: SQLite checks again what was asked. */
  bool has_others;
};

/* The calls that are wanted. */
struct filter {
  /* By number, by index of the thread: 1 where its calls are; NULL: all. */
  uint8_t *functions, *threads;
  int64_t time_from, time_to, least_ns, most_ns;
  /* Calls without a duration are not wanted. */
  bool is_timed;
  /* One call alone. */
  bool is_one;
  int64_t thread, ordinal;
  bool is_none;
  /* A pattern was given. */
  bool has_pattern;
};

#define MOST_ORDERS 8

/* The order in which calls are given; none when `count` is 0. */
struct order {
  int count;
  /* Not of functions and threads alone: the rows are sorted. */
  bool is_of_rows;
  /* Equal rows are to be together, whichever come first; of them one is enough. */
  bool is_of_groups, is_once;
  enum what by[MOST_ORDERS];
  bool descends[MOST_ORDERS];
};

int plan_best(struct store *store, const struct table_kind *kind, sqlite3_index_info *info);
int plan_read(struct store *store, const char *plan, sqlite3_value **values, struct filter *filter,
              struct order *order);
void filter_free(struct filter *filter);

/* The text of a function's or thread's column. */
const struct text *text_of(enum what what, const struct function *function,
                           const struct thread *thread);
bool is_of_function(enum what what);
/* The line as well. */
bool is_by_function(enum what what);
bool is_of_thread(enum what what);
/* The name of a stored end (src/db/blockFormat.ts). */
const char *end_name(int64_t stored);
/* By the codes of `returned` and `unwound`. */
static inline bool end_is_returned(int64_t stored) { return (stored & END_MASK) == 1; }
static inline bool end_is_unwound(int64_t stored) { return (stored & END_MASK) == 2; }
/* The column of `calls` that has this name; expressions may read it where the answer is true. */
bool call_column(const char *name, enum what *what);

/* Which stored number a column is, and what it is divided by; without a divisor it is none. */
struct number {
  enum number_column column;
  int64_t divisor;
};
extern const struct number numbers[WHATS];
static inline struct number number_of(enum what what) { return numbers[what]; }

/* A duration that is not known stays -1. */
static inline int64_t divided(struct number is, int64_t stored) {
  return is.divisor == 1 || (is.column == DURATION && stored < 0) ? stored : stored / is.divisor;
}

#endif
