/* Goes through the calls that a filter takes, block by block. */
#ifndef STROBE_SQL_SCAN_H
#define STROBE_SQL_SCAN_H

#include "plan.h"

#define ALL_ENTRIES UINT32_MAX

/* Calls of a block: those of one entry of its dictionary, or all. */
struct slice {
  struct block *block;
  uint32_t entry;
  /* Places in the order; then the block's own. */
  uint32_t outer, inner, place;
};

struct scan {
  struct store *store;
  struct filter filter;
  struct slice *slices;
  size_t count, at;
  /* Of the slice: its rows and where among them it stands; NULL: all from `base` on. */
  struct block *block;
  const uint16_t *rows;
  uint32_t base, row_count, row_at;
  uint32_t entry;
  uint16_t own[MOST_CALLS];
};

/* Stands on the first rows that `scan->filter` takes, in an order of slices. */
int scan_begin(struct scan *scan, struct store *store, const struct order *order);
/* Goes on with the next slice that has rows; at the end `block` is NULL. */
int scan_next_slice(struct scan *scan);
/* Stands on one row, or on none where `block` is NULL. */
void scan_stand_on(struct scan *scan, struct block *block, uint32_t row);
void scan_end(struct scan *scan);

/* One of the rows of the slice. */
static inline uint32_t scan_row_at(const struct scan *scan, uint32_t at) {
  return scan->rows ? scan->rows[at] : scan->base + at;
}
static inline uint32_t scan_row(const struct scan *scan) { return scan_row_at(scan, scan->row_at); }

/* What a column has in the row; -1: a duration that is not known. */
static inline int scan_number(struct scan *scan, enum what what, int64_t *number) {
  struct number is = number_of(what);
  const int64_t *stored;
  int code = store_numbers(scan->store, scan->block, is.column, &stored);
  if (code == SQLITE_OK) *number = divided(is, stored[scan_row(scan)]);
  return code;
}

int scan_function(struct scan *scan, const struct function **function);

#endif
