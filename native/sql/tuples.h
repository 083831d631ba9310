/* What rows have in columns of values: each distinct tuple has a number, and a place in their
 * order.
 */
#ifndef STROBE_SQL_TUPLES_H
#define STROBE_SQL_TUPLES_H

#include "arguments.h"
#include "order.h"

struct tuples {
  struct arguments *arguments;
  int count, columns[MOST_ORDERS];
  bool descends[MOST_ORDERS];
  /* Words and kinds of each. */
  struct texts keys;
  /* By number: the place. By place, then by column: what SQL has there. */
  uint32_t *ranks;
  struct cell *cells;
};

/* Those of an order's columns of values. */
void tuples_begin(struct tuples *tuples, struct arguments *arguments, const struct order *order);
/* SQLITE_TOOBIG: there are more than are kept. */
int tuples_number(struct tuples *tuples, struct block *block, uint32_t row, uint32_t *number);
/* When all have numbers. SQLITE_TOOBIG: some are equal and not the same (1 and 1.0), or too long.
 */
int tuples_rank(struct tuples *tuples);
void tuples_end(struct tuples *tuples);
/* What a column has in the tuple of this place; false: it is none of theirs. */
bool tuples_give(const struct tuples *tuples, uint64_t rank, enum what what,
                 sqlite3_context *result);

#endif
