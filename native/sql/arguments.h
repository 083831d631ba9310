/* Values of calls as columns, decoded block by block: of arguments and results what json_extract
 * answers, or the JSON of all arguments and of what was returned. What is no number, address or
 * plain text is asked for (src/db/sql/sqlValues.ts). */
#ifndef STROBE_SQL_ARGUMENTS_H
#define STROBE_SQL_ARGUMENTS_H

#include "cells.h"
#include "store.h"

struct argument;

struct arguments {
  struct store *store;
  sqlite3_stmt *value, *extract, *place;
  /* NULL: none was asked for. Those that a statement names, ALL_ARGUMENTS, RETURNED. */
  struct argument *all;
  struct texts texts;
  /* Captured bytes that stand for values. */
  struct texts captured;
};

/* Defines the SQL function strobe_argument(column, 'arguments' or 'return_value', path), which
 * defines a column. */
int arguments_define(struct arguments *arguments);
/* Gives back prepared statements. */
void arguments_rest(struct arguments *arguments);
void arguments_free(struct arguments *arguments);

/* Gives what the row of a block has in a column. */
int argument_give(sqlite3_context *result, struct arguments *arguments, int column,
                  struct block *block, uint32_t row);
/* What it has, once known. SQLITE_TOOBIG: there are more different ones than are kept. */
int argument_cell(struct arguments *arguments, int column, struct block *block, uint32_t row,
                  struct cell *cell);
/* Gives what was returned for sums, which take what is no number for 0. */
int argument_give_number(sqlite3_context *result, struct arguments *arguments, struct block *block,
                         uint32_t row);
/* Gives what JavaScript says of the call: "arguments", "return_value" or "watch_values". */
int argument_ask(sqlite3_context *result, struct arguments *arguments, const char *what,
                 const struct block *block, uint32_t row);

#endif
