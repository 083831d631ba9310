/* The columns of the tables `calls` and `events`, and which stored number or text each is. */
#ifndef STROBE_SQL_COLUMNS_H
#define STROBE_SQL_COLUMNS_H

#include "store.h"

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
  /* The first of those that a statement defines of values (arguments.h). */
  ARGUMENT,
  /* What was returned as a number, for sums. */
  RETURN_NUMBER = ARGUMENT + NAMED_VALUES,
  /* What only calls of dynamic languages have; JavaScript is asked. */
  SUSPENDED,
  STRAND,
  EXCEPTION,
  WHATS,
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

extern const struct table_kind calls_kind, events_kind;

/* Whether SELECT * leaves it out. */
bool is_hidden(const struct table_kind *kind, enum what what);

static inline bool is_named_value(enum what what) {
  return what >= ARGUMENT && what < RETURN_NUMBER;
}
/* Values of calls: quick only in the order of the calls. */
static inline bool is_value(enum what what) { return what >= ARGUMENTS && what <= WATCH_VALUES; }
/* Which column of values it is; -1: none. */
static inline int value_column(enum what what) {
  if (what == ARGUMENTS) return ALL_ARGUMENTS;
  if (what == RETURN_VALUE) return RETURNED;
  return is_named_value(what) ? (int)what - ARGUMENT : -1;
}
/* The text of a function's or thread's column. */
const struct text *text_of(enum what what, const struct function *function,
                           const struct thread *thread);
bool is_of_function(enum what what);
/* The line as well. */
bool is_by_function(enum what what);
bool is_of_thread(enum what what);
/* Whole numbers, which are compared with numbers that are written as text. */
bool is_whole(enum what what);
#define END_NAMES 7
/* The name of a stored end (src/db/blockFormat.ts). */
const char *end_name(int64_t stored);
/* Which stored number a column is, and what it is divided by; without a divisor it is none. */
struct number {
  enum number_column column;
  int64_t divisor;
};
extern const struct number column_numbers[WHATS];
static inline struct number number_of(enum what what) { return column_numbers[what]; }

/* A duration that is not known stays -1. */
static inline int64_t divided(struct number is, int64_t stored) {
  return is.divisor == 1 || (is.column == DURATION && stored < 0) ? stored : stored / is.divisor;
}

#endif
