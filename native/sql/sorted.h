/* Sorts the rows of a scan by any columns that are numbers or have ranks: each is one word
 * (order.h). */
#ifndef STROBE_SQL_SORTED_H
#define STROBE_SQL_SORTED_H

#include "scan.h"
#include "tuples.h"

struct sorted {
  struct store *store;
  struct layout layout;
  /* By number of the function or index of the thread; a function of each rank. NULL: it is a
   * number. */
  uint32_t *ranks[MOST_ORDERS], *ranked[MOST_ORDERS];
  /* Of the columns of values, which have one part together. */
  struct tuples tuples;
  /* NULL: rows are not sorted. */
  uint64_t *words;
  size_t count, at;
  /* Of the row that was given last. */
  uint64_t word;
  /* Of equal rows the first one alone is given. */
  bool is_once;
};

/* Takes all rows of a scan that has begun. */
int sorted_begin(struct sorted *sorted, struct arguments *arguments, struct scan *scan,
                 const struct order *order);
void sorted_end(struct sorted *sorted);
/* Where the next row is; false: there is none. */
bool sorted_next(struct sorted *sorted, struct block **block, uint32_t *row);

/* What a column has in the row that was given last, whose number is `call`; false: it is to be
 * read. */
bool sorted_number(const struct sorted *sorted, enum what what, uint64_t call, int64_t *number);
/* Gives what a column of values has in that row; false: as above. */
bool sorted_give(const struct sorted *sorted, enum what what, sqlite3_context *result);
/* A function that has the same in this column; NULL: it is to be read. */
const struct function *sorted_function(const struct sorted *sorted, enum what what);

#endif
