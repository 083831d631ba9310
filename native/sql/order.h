/* The order that rows are given in: of slices of blocks, or of rows that are sorted by one word
 * each, which has the values of the columns, the first on top, and below them where the row is. */
#ifndef STROBE_SQL_ORDER_H
#define STROBE_SQL_ORDER_H

#include "columns.h"

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

#define ROW_BITS 14
/* Of columns of values: more are not kept. */
#define MOST_TUPLES (1u << 20)

/* A column in a row's word. */
struct part {
  enum what what;
  bool descends;
  unsigned shift;
  /* The value that is 0 in a word, and the largest there. */
  int64_t least;
  uint64_t most, mask;
};

struct layout {
  struct part parts[MOST_ORDERS];
  int part_count;
  /* The last ones are the row's place. */
  unsigned place_bits, bits;
};

/* Slices of blocks have an order by columns of functions, then by those of threads, or the other
 * way round. */
bool order_is_of_slices(const struct order *order);
/* Which bits have what; SQLITE_TOOBIG when there are not as many. */
int order_lay_out(struct store *store, const struct order *order, struct layout *layout);
/* Whether rows can be sorted at a bearable price, `used` being the columns that are read (a bit
 * each). */
int order_can_sort(struct store *store, const struct order *order, uint64_t used, bool *can);
/* The place of each function, or of each thread, by the columns of the order that are of functions,
 * or of threads; those that are equal have the same. NULL: no memory. */
uint32_t *order_ranks(const struct store *store, const struct order *order, bool is_functions);

#endif
