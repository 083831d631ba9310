/* Values of calls as columns: of arguments and results what json_extract answers, decoded block by
 * block. What is no number, address or plain text is asked for call by call
 * (src/db/sql/sqlValues.ts). */
#ifndef STROBE_SQL_ARGUMENTS_H
#define STROBE_SQL_ARGUMENTS_H

#include "plan.h"

/* What a call has in such a column; `word` says which. */
enum cell_kind {
  /* No value: SQL's NULL. */
  NOTHING,
  /* JSON's null. */
  NULL_VALUE,
  WHOLE,
  BOOLEAN,
  /* Bits of a double; JSON has those that are not finite as text. */
  REAL,
  /* A text's number. */
  TEXT,
  ADDRESS,
  /* Numbers of 64 bits that JSON has as text. */
  SIGNED_DIGITS,
  UNSIGNED_DIGITS,
  /* A text's number: the value as JSON. */
  JSON,
  /* Known when first read: of all calls of the function with this word, or of this call alone. */
  BY_WORD,
  BY_CALL,
};

struct cell {
  enum cell_kind kind;
  int64_t word;
};

/* A value of SQL. `text` may lie in `room`. */
struct sql_value {
  int type;
  int64_t whole;
  double real;
  const char *text;
  int length;
  char room[40];
};

struct scan;

/* Defines the SQL function strobe_argument(column, 'arguments' or 'return_value', path), which
 * defines a column. */
int arguments_define(struct store *store, sqlite3 *db);
void arguments_free(struct store *store);

static inline bool is_json(enum what what) { return what == ARGUMENTS || what == RETURN_VALUE; }
static inline bool is_argument(enum what what) { return what >= ARGUMENT && what <= RETURN_NUMBER; }
/* The place of a column that is_argument or is_json among columns of values. */
static inline int argument_index(enum what what) {
  return what == ARGUMENTS      ? VALUE_COLUMNS - 2
         : what == RETURN_VALUE ? VALUE_COLUMNS - 1
                                : (int)(what - ARGUMENT);
}
/* What the row of a block has in such a column. */
int argument_cell(struct store *store, enum what what, struct block *block, uint32_t row,
                  struct cell *cell);
/* The value of SQL that this is in the column. */
void argument_value(const struct store *store, enum what what, struct cell cell,
                    struct sql_value *value);
int argument_give(sqlite3_context *result, struct scan *scan, enum what what);

#endif
