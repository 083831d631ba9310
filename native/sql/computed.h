/* Columns of a statement's own, by which its rows are grouped: expressions of other columns
 * (src/db/sql/quicker.ts). SQLite itself evaluates them, once for all calls in which what they read
 * is the same. */
#ifndef STROBE_SQL_COMPUTED_H
#define STROBE_SQL_COMPUTED_H

#include "plan.h"

#define MOST_INPUTS 8

struct expression {
  /* One statement that answers it, with a parameter for each input; NULL: it is not defined. */
  char *sql;
  sqlite3_stmt *statement;
  enum what inputs[MOST_INPUTS];
  int input_count;
  /* It reads the start alone, and is never less where that is later. */
  bool rises;
};

/* What an expression is in the calls of one scan. */
struct values;
struct scan;

/* Defines the SQL function strobe_compute(column, expression, rises, input, …), which defines a
 * column. */
int computed_define(struct store *store, sqlite3 *db);
void computed_rest(struct store *store);
void computed_free(struct store *store);

static inline bool is_computed(enum what what) { return what >= COMPUTED; }
bool computed_is_defined(const struct store *store, enum what what);
/* How many bits its values take in a word. */
int computed_bits(struct store *store, enum what what, unsigned *bits);

int values_begin(struct store *store, enum what what, struct values **values);
/* Puts a number for the value of each row that the scan stands on into its word. */
int values_add(struct scan *scan, struct values *values, unsigned shift, uint64_t *words);
/* All rows were added: the place of each number in the order of the values, which are in that order
 * from then on. */
int values_rank(struct values *values, const uint32_t **ranks);
sqlite3_value *values_at(const struct values *values, uint64_t rank);
void values_free(struct values *values);

#endif
