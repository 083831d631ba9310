#include "scan.h"

#include <stdlib.h>

static bool takes_entry(const struct filter *filter, const struct block *block, uint32_t entry) {
  if (filter->functions && !filter->functions[block->entry_function[entry]]) return false;
  /* A duration that came late is not in the dictionary. */
  return !filter->is_timed || block->open > 0 ||
         block->entry_max[entry] >= (double)filter->least_ns;
}

static bool may_match(const struct store *store, const struct filter *filter,
                      const struct block *block) {
  if (block->start_ns > filter->time_to || block->last_ns < filter->time_from) return false;
  if (filter->threads && !filter->threads[block->thread - store->threads]) return false;
  for (uint32_t entry = 0; entry < block->entries; entry++)
    if (takes_entry(filter, block, entry)) return true;
  return false;
}

static int order_slices(const void *a, const void *b) {
  const struct slice *one = a, *other = b;
  if (one->outer != other->outer) return one->outer < other->outer ? -1 : 1;
  if (one->inner != other->inner) return one->inner < other->inner ? -1 : 1;
  return (one->place > other->place) - (one->place < other->place);
}

/* All slices of blocks that may match, in the order that is wanted. */
static int find_slices(struct scan *scan, const struct order *order) {
  struct store *store = scan->store;
  bool by_function = false, by_thread = false;
  for (int i = 0; i < order->count; i++) {
    by_function |= is_by_function(order->by[i]);
    by_thread |= is_of_thread(order->by[i]);
  }
  size_t most = store->block_count;
  for (uint32_t i = 0; by_function && i < store->block_count; i++) most += store->blocks[i].entries;
  scan->slices = malloc((most + 1) * sizeof *scan->slices);
  uint32_t *of_function = by_function ? order_ranks(store, order, true) : NULL;
  uint32_t *of_thread = by_thread ? order_ranks(store, order, false) : NULL;
  int code = !scan->slices || (by_function && !of_function) || (by_thread && !of_thread)
                 ? SQLITE_NOMEM
                 : SQLITE_OK;
  bool functions_first = order->count > 0 && is_by_function(order->by[0]);
  for (uint32_t i = 0; code == SQLITE_OK && i < store->block_count; i++) {
    struct block *block = store->by_time[i];
    if (block->start_ns > scan->filter.time_to) break;
    if (!may_match(store, &scan->filter, block)) continue;
    uint32_t thread = of_thread ? of_thread[block->thread - store->threads] : 0;
    if (!by_function) {
      scan->slices[scan->count++] = (struct slice){block, ALL_ENTRIES, thread, 0, i};
      continue;
    }
    for (uint32_t entry = 0; entry < block->entries; entry++) {
      if (!takes_entry(&scan->filter, block, entry)) continue;
      uint32_t function = of_function[block->entry_function[entry]];
      scan->slices[scan->count++] = functions_first
                                        ? (struct slice){block, entry, function, thread, i}
                                        : (struct slice){block, entry, thread, function, i};
    }
  }
  free(of_function);
  free(of_thread);
  if (code == SQLITE_OK && order->count > 0)
    qsort(scan->slices, scan->count, sizeof *scan->slices, order_slices);
  return code;
}

static int find_one(struct scan *scan) {
  struct block *block = store_find(scan->store, scan->filter.thread, scan->filter.ordinal);
  if (!block || !may_match(scan->store, &scan->filter, block)) return SQLITE_OK;
  scan->slices = malloc(sizeof *scan->slices);
  if (!scan->slices) return SQLITE_NOMEM;
  scan->slices[scan->count++] = (struct slice){block, ALL_ENTRIES, 0, 0, 0};
  return SQLITE_OK;
}

int scan_begin(struct scan *scan, struct store *store, const struct order *order) {
  scan->store = store;
  if (scan->filter.is_none) return SQLITE_OK;
  int code = scan->filter.is_one ? find_one(scan) : find_slices(scan, order);
  return code == SQLITE_OK ? scan_next_slice(scan) : code;
}

void scan_end(struct scan *scan) {
  if (scan->block) scan->block->pins--;
  free(scan->slices);
  filter_free(&scan->filter);
  scan->slices = NULL;
  scan->block = NULL;
  scan->count = scan->at = 0;
}

/* The first row that begins at `time` or later. */
static uint32_t first_from(const int64_t *start, uint32_t calls, int64_t time) {
  uint32_t low = 0, high = calls;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (start[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The rows [from, to) that lie in time, and the one that alone is wanted. */
static int rows_in_time(struct scan *scan, uint32_t *from, uint32_t *to) {
  struct block *block = scan->block;
  const struct filter *filter = &scan->filter;
  *from = 0;
  *to = block->calls;
  if (filter->is_one) {
    *from = (uint32_t)(filter->ordinal - block->first);
    *to = *from + 1;
  }
  if (block->start_ns >= filter->time_from && block->last_ns <= filter->time_to) return SQLITE_OK;
  const int64_t *start;
  int code = store_numbers(scan->store, block, START, &start);
  if (code != SQLITE_OK) return code;
  uint32_t first = first_from(start, block->calls, filter->time_from);
  uint32_t last = filter->time_to == INT64_MAX
                      ? block->calls
                      : first_from(start, block->calls, filter->time_to + 1);
  if (first > *from) *from = first;
  if (last < *to) *to = last;
  return SQLITE_OK;
}

/* Rows of the entries that are wanted, when they are neither all nor those of one entry. */
static int rows_of_entries(struct scan *scan, uint32_t from, uint32_t to) {
  const int64_t *entries;
  int code = store_numbers(scan->store, scan->block, ENTRY, &entries);
  if (code != SQLITE_OK) return code;
  uint32_t count = 0;
  for (uint32_t row = from; row < to; row++) {
    uint64_t entry = (uint64_t)entries[row];
    if (entry >= scan->block->entries) return SQLITE_CORRUPT_VTAB;
    if (takes_entry(&scan->filter, scan->block, (uint32_t)entry))
      scan->own[count++] = (uint16_t)row;
  }
  scan->rows = scan->own;
  scan->row_count = count;
  return SQLITE_OK;
}

static int rows_of_entry(struct scan *scan, uint32_t entry, uint32_t from, uint32_t to) {
  const struct block *block = scan->block;
  const uint16_t *posting;
  int code = store_posting(scan->store, scan->block, &posting);
  if (code != SQLITE_OK) return code;
  scan->rows = posting + block->entry_from[entry];
  scan->row_count = block->entry_calls[entry];
  if (from == 0 && to == block->calls) return SQLITE_OK;
  uint32_t count = 0;
  for (uint32_t i = 0; i < scan->row_count; i++) {
    uint16_t row = scan->rows[i];
    if (row >= from && row < to) scan->own[count++] = row;
  }
  scan->rows = scan->own;
  scan->row_count = count;
  return SQLITE_OK;
}

static int keep_durations(struct scan *scan) {
  const struct filter *filter = &scan->filter;
  const int64_t *durations;
  int code = store_numbers(scan->store, scan->block, DURATION, &durations);
  if (code != SQLITE_OK) return code;
  uint32_t count = 0;
  for (scan->row_at = 0; scan->row_at < scan->row_count; scan->row_at++) {
    uint32_t row = scan_row(scan);
    int64_t duration = durations[row];
    if (duration >= 0 && duration >= filter->least_ns && duration <= filter->most_ns)
      scan->own[count++] = (uint16_t)row;
  }
  scan->rows = scan->own;
  scan->row_count = count;
  return SQLITE_OK;
}

static int select_rows(struct scan *scan, uint32_t entry) {
  struct block *block = scan->block;
  uint32_t from, to;
  int code = rows_in_time(scan, &from, &to);
  if (code != SQLITE_OK) return code;
  uint32_t taken = entry == ALL_ENTRIES ? 0 : 1;
  for (uint32_t i = 0; entry == ALL_ENTRIES && i < block->entries; i++)
    if (takes_entry(&scan->filter, block, i)) taken++;
  if (entry == ALL_ENTRIES && taken == 1)
    for (uint32_t i = 0; i < block->entries; i++)
      if (takes_entry(&scan->filter, block, i)) entry = i;
  scan->entry = entry;
  if (entry != ALL_ENTRIES) code = rows_of_entry(scan, entry, from, to);
  else if (taken < block->entries) code = rows_of_entries(scan, from, to);
  else {
    scan->rows = NULL;
    scan->base = from;
    scan->row_count = from < to ? to - from : 0;
  }
  if (code == SQLITE_OK && scan->filter.is_timed) code = keep_durations(scan);
  scan->row_at = 0;
  return code;
}

static void stand_in(struct scan *scan, struct block *block) {
  if (scan->block) scan->block->pins--;
  scan->block = block;
  if (block) block->pins++;
}

void scan_stand_on(struct scan *scan, struct block *block, uint32_t row) {
  stand_in(scan, block);
  scan->rows = NULL;
  scan->base = row;
  scan->row_at = 0;
  scan->row_count = 1;
  scan->entry = ALL_ENTRIES;
}

int scan_next_slice(struct scan *scan) {
  for (;;) {
    stand_in(scan, NULL);
    if (scan->at >= scan->count) return SQLITE_OK;
    const struct slice *slice = &scan->slices[scan->at++];
    stand_in(scan, slice->block);
    int code = select_rows(scan, slice->entry);
    if (code != SQLITE_OK || scan->row_count > 0) return code;
  }
}

int scan_function(struct scan *scan, const struct function **function) {
  struct block *block = scan->block;
  uint32_t entry = scan->entry;
  if (entry == ALL_ENTRIES) {
    const int64_t *entries;
    int code = store_numbers(scan->store, block, ENTRY, &entries);
    if (code != SQLITE_OK) return code;
    int64_t at = entries[scan_row(scan)];
    if (at < 0 || at >= block->entries) return SQLITE_CORRUPT_VTAB;
    entry = (uint32_t)at;
  }
  *function = &scan->store->functions[block->entry_function[entry]];
  return SQLITE_OK;
}
