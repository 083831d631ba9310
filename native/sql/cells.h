/* What calls have in a column of values, and how SQL and JSON write it. */
#ifndef STROBE_SQL_CELLS_H
#define STROBE_SQL_CELLS_H

#include "texts.h"

/* What a call has in a column of values; `word` says which. */
enum cell_kind {
  /* No value: SQL's NULL. */
  NOTHING,
  /* JSON's null. */
  NULL_VALUE,
  WHOLE,
  BOOLEAN,
  /* Bits of a double; SQL has those that are not finite as text. */
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

/* What SQL has of a cell: `type` is SQLite's, and says which of the others counts. */
struct shown {
  int type;
  int64_t whole;
  double real;
  struct text text;
  /* Where a text is that is not kept. */
  char written[40];
};

void cell_show(const struct texts *texts, struct cell cell, bool is_json, struct shown *shown);
/* The order of SQL. */
int shown_order(const struct shown *a, const struct shown *b);

/* Gives what json_extract answers of it, or where `is_json` the JSON of what needs no more than
 * digits or is JSON already. */
void cell_give(sqlite3_context *result, const struct texts *texts, struct cell cell, bool is_json);

#endif
