/* Rows in the order of any columns that are numbers or have ranks. Each is one word: the columns'
 * values, the first on top, and below them where the row is. */
#ifndef STROBE_SQL_SORTED_H
#define STROBE_SQL_SORTED_H

#include "computed.h"

#define ROW_BITS 14

struct part {
  enum what what;
  bool descends;
  unsigned shift;
  /* The value that is 0 in a word, and the largest there. */
  int64_t least;
  uint64_t most, mask;
  /* By number of the function or index of the thread; a function of each rank. NULL: it is a
   * number. */
  uint32_t *ranks, *ranked;
  /* Of a computed column. */
  struct values *values;
};

struct sorted {
  uint64_t *words;
  size_t count;
  bool is_ready;
  struct part parts[MOST_ORDERS];
  int part_count;
  /* The last ones are the row's place. */
  unsigned place_bits, bits;
  /* Of equal rows the first one alone is given. */
  bool is_once;
};

static inline unsigned bits_of(uint64_t most) {
  return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* The least that a column's rows can have, and how much more they can. */
int range_of_column(struct store *store, enum what what, int64_t *least, uint64_t *most);
/* Whether rows can be given in an order at a bearable price, `used` being the columns that are read
 * (a bit each). */
int can_sort(struct store *store, const struct order *order, uint64_t used, bool *can);
/* Takes all rows of the scan. */
int sort_rows(struct scan *scan, const struct order *order);
void sorted_free(struct sorted *sorted);

static inline uint32_t sorted_row(uint64_t word) { return word & ((1u << ROW_BITS) - 1); }
static inline uint32_t sorted_block(const struct sorted *sorted, uint64_t word) {
  return (uint32_t)(word & ((UINT64_C(1) << sorted->place_bits) - 1)) >> ROW_BITS;
}

/* The word of the next row. */
static inline uint64_t sorted_next(const struct sorted *sorted, size_t *at) {
  uint64_t word = sorted->words[(*at)++], value = word >> sorted->place_bits;
  while (sorted->is_once && *at < sorted->count &&
         sorted->words[*at] >> sorted->place_bits == value)
    ++*at;
  return word;
}

/* What a column has in the row that the scan stands on, if rows are in its order; else it is to be
 * read. */
bool sorted_number(const struct scan *scan, enum what what, int64_t *number);
const struct function *sorted_function(const struct scan *scan, enum what what);
/* NULL: rows are not in the order of this computed column. */
sqlite3_value *sorted_value(const struct scan *scan, enum what what);

#endif
