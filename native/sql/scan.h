/* Goes through the calls that a filter takes, block by block. */
#ifndef STROBE_SQL_SCAN_H
#define STROBE_SQL_SCAN_H

#include "sorted.h"

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
  struct sorted sorted;
  /* Where it stands in it. */
  uint64_t word;
};

int scan_begin(struct scan *scan, struct store *store, const char *plan, sqlite3_value **values);
/* Goes on with the next slice that has rows; at the end `block` is NULL. */
int scan_next_slice(struct scan *scan);
void scan_end(struct scan *scan);

static inline uint32_t scan_row(const struct scan *scan) {
  return scan->rows ? scan->rows[scan->row_at] : scan->base + scan->row_at;
}

/* Of all calls of the store, from 1 on. */
static inline int64_t scan_call_number(const struct scan *scan) {
  return (int64_t)block_call_number(scan->block, scan_row(scan));
}

/* -1: a duration that is not known. */
static inline int scan_number(struct scan *scan, enum what what, int64_t *number) {
  if (scan->sorted.is_ready && sorted_number(scan, what, number)) return SQLITE_OK;
  struct number is = number_of(what);
  const int64_t *stored;
  int code = store_numbers(scan->store, scan->block, is.column, &stored);
  if (code == SQLITE_OK) *number = divided(is, stored[scan_row(scan)]);
  return code;
}

/* The function, or one that has the same in this column. */
int scan_function(struct scan *scan, enum what what, const struct function **function);

#endif
