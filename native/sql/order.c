#define _GNU_SOURCE
#include "order.h"

#include <stdlib.h>

#define MOST_ROWS (1u << 24)

bool order_is_of_slices(const struct order *order) {
  int changes = 0;
  for (int i = 0; i < order->count; i++) {
    enum what what = order->by[i];
    if (!is_by_function(what) && !is_of_thread(what)) return false;
    if (i > 0) changes += is_by_function(what) != is_by_function(order->by[i - 1]);
  }
  return changes <= 1;
}

static int longest_late(struct store *store, int64_t *longest) {
  sqlite3_stmt *row = NULL;
  int code = sqlite3_prepare_v2(store->db, "SELECT max(duration_ns) FROM late", -1, &row, NULL);
  if (code == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) *longest = sqlite3_column_int64(row, 0);
  int ended = sqlite3_finalize(row);
  return code == SQLITE_OK ? ended : code;
}

static int64_t most_of_width(char width) {
  return width < '8' ? (INT64_C(1) << (width - '0') * 8) - 1 : INT64_MAX;
}

/* The least and the most that a stored number can be. */
static int range_of(struct store *store, enum number_column column, int64_t *least, int64_t *most) {
  int code = SQLITE_OK;
  *least = column == DURATION ? -1 : column == START && store->block_count > 0 ? INT64_MAX : 0;
  *most = *least == INT64_MAX ? INT64_MIN : 0;
  if (column == DURATION) code = longest_late(store, most);
  for (uint32_t i = 0; i < store->block_count; i++) {
    const struct block *block = &store->blocks[i];
    int64_t here = column == DURATION ? block->max_ns
                   : column == START  ? block->last_ns
                                      : most_of_width(block->widths[column]);
    if (here > *most) *most = here;
    if (column == START && block->start_ns < *least) *least = block->start_ns;
  }
  return code;
}

/* The least that a column's rows can have, and how much more they can. */
static int range_of_column(struct store *store, enum what what, int64_t *least, uint64_t *more) {
  int64_t most = 0;
  int code = SQLITE_OK;
  *least = 0;
  if (is_by_function(what)) most = store->function_count;
  else if (is_of_thread(what)) most = store->thread_count;
  else if (what == CALL_END) most = END_NAMES - 1;
  else if (value_column(what) >= 0) most = MOST_TUPLES - 1;
  else if (what == PARENT_ID) most = (int64_t)(store->ordinal_count & INT64_MAX);
  else {
    struct number is = number_of(what);
    code = range_of(store, is.column, least, &most);
    *least = divided(is, *least);
    most = divided(is, most);
  }
  *more = (uint64_t)most - (uint64_t)*least;
  return code;
}

static unsigned bits_of(uint64_t most) { return most ? 64 - (unsigned)__builtin_clzll(most) : 0; }

/* Of the columns of values. */
static int first_value_of(const struct order *order) {
  int i = 0;
  while (i < order->count && value_column(order->by[i]) < 0) i++;
  return i;
}

int order_lay_out(struct store *store, const struct order *order, struct layout *layout) {
  layout->place_bits = ROW_BITS + bits_of(store->block_count);
  layout->bits = layout->place_bits;
  int first_value = first_value_of(order);
  for (int i = order->count - 1; i >= 0; i--) {
    struct part *part = &layout->parts[i];
    *part = (struct part){.what = order->by[i], .descends = order->descends[i]};
    int code = range_of_column(store, part->what, &part->least, &part->most);
    if (code != SQLITE_OK) return code;
    /* That has the tuple of all. */
    if (value_column(part->what) >= 0 && i != first_value) part->most = 0;
    unsigned bits = bits_of(part->most);
    part->shift = layout->bits;
    part->mask = bits ? UINT64_MAX >> (64 - bits) : 0;
    layout->bits += bits;
    /* A shift by all bits is none. */
    if (layout->bits >= 64) return SQLITE_TOOBIG;
  }
  layout->part_count = order->count;
  return SQLITE_OK;
}

/* How many bytes are kept of each row, beside its word. */
static uint64_t read_beside(uint64_t used) {
  bool is_read[NUMBER_COLUMNS] = {false};
  for (int what = 0; what < PATTERN; what++) {
    if (!(used >> what & 1)) continue;
    struct number is = number_of((enum what)what);
    if (is_by_function((enum what)what)) is_read[ENTRY] = true;
    else if (is.divisor > 0) is_read[is.column] = true;
  }
  uint64_t bytes = 0;
  for (int column = 0; column < NUMBER_COLUMNS; column++)
    bytes += is_read[column] * sizeof(int64_t);
  for (int what = ARGUMENT; what <= RETURN_NUMBER; what++)
    bytes += (used >> what & 1) * VALUE_BYTES;
  return bytes;
}

int order_can_sort(struct store *store, const struct order *order, uint64_t used, bool *can) {
  *can = false;
  for (int i = 0; i < order->count; i++) {
    enum what what = order->by[i];
    bool is_known = is_by_function(what) || is_of_thread(what) || number_of(what).divisor > 0;
    bool is_value = value_column(what) >= 0, is_next = i > 0 && value_column(order->by[i - 1]) >= 0;
    if (is_value && store->has_many_values) return SQLITE_OK;
    /* A tuple has one place in the order. */
    if (is_value && (is_next || i == first_value_of(order) || order->is_of_groups)) continue;
    /* The order of ids as texts is another one than theirs. */
    if (!is_known || (what == PARENT_ID && !order->is_of_groups)) return SQLITE_OK;
  }
  /* Those are quick only in the order of the calls. */
  uint64_t beside = used;
  for (int i = 0; i < order->count; i++) beside &= ~(UINT64_C(1) << order->by[i]);
  for (int what = 0; what < PATTERN; what++)
    if (beside >> what & 1 && is_value((enum what)what)) return SQLITE_OK;
  int code = store_load(store);
  if (code != SQLITE_OK) return code;
  uint64_t bytes = store->call_count * read_beside(beside);
  if (store->call_count > MOST_ROWS || bytes > MOST_COLUMN_BYTES) return SQLITE_OK;
  struct layout layout;
  code = order_lay_out(store, order, &layout);
  *can = code == SQLITE_OK;
  return code == SQLITE_TOOBIG ? SQLITE_OK : code;
}

/* By the columns of `order` that are of functions, or of threads. */
struct ranking {
  const struct store *store;
  const struct order *order;
  bool is_functions;
};

static int order_number(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int order_pair(const struct ranking *ranking, uint32_t a, uint32_t b) {
  const struct store *store = ranking->store;
  for (int i = 0; i < ranking->order->count; i++) {
    enum what what = ranking->order->by[i];
    if (is_by_function(what) != ranking->is_functions) continue;
    int order;
    if (what == FUNCTION_LINE)
      order = order_number(store->functions[a].line, store->functions[b].line);
    else if (ranking->is_functions)
      order = text_order(text_of(what, &store->functions[a], NULL),
                         text_of(what, &store->functions[b], NULL));
    else {
      const struct thread *one = &store->threads[a], *other = &store->threads[b];
      order = what == THREAD_NAME ? text_order(&one->name, &other->name)
              : what == THREAD_ID ? order_number(one->tid, other->tid)
                                  : order_number(one->pid, other->pid);
    }
    if (order) return ranking->order->descends[i] ? -order : order;
  }
  return 0;
}

static int order_items(const void *a, const void *b, void *ranking) {
  return order_pair(ranking, *(const uint32_t *)a, *(const uint32_t *)b);
}

uint32_t *order_ranks(const struct store *store, const struct order *order, bool is_functions) {
  struct ranking ranking = {store, order, is_functions};
  /* The last thread stands for all that are not known. */
  uint32_t count = is_functions ? store->function_count : store->thread_count + 1;
  uint32_t *items = malloc(((size_t)count + 1) * 2 * sizeof *items);
  if (!items) return NULL;
  uint32_t *place = items, *sorted = items + count;
  for (uint32_t i = 0; i < count; i++) sorted[i] = i;
  qsort_r(sorted, count, sizeof *sorted, order_items, &ranking);
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && order_pair(&ranking, sorted[i - 1], sorted[i])) at++;
    place[sorted[i]] = at;
  }
  return items;
}
