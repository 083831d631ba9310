#include "sorted.h"

#include <stdlib.h>

#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)
#define MOST_DIGITS (64 / DIGIT_BITS)

/* Ends by their names: what stands for each code, and the code of each. */
static const uint8_t end_ranks[END_MASK + 1] = {2, 3, 5, 0, 4, 1, 1, 1};
static const uint8_t ranked_ends[] = {3, 5, 0, 1, 4, 2};

static int rank_part(struct sorted *sorted, int i) {
  const struct store *store = sorted->store;
  enum what what = sorted->layout.parts[i].what;
  bool by_function = is_by_function(what);
  if (!by_function && !is_of_thread(what)) return SQLITE_OK;
  struct order order = {.count = 1, .by = {what}};
  uint32_t *ranks = sorted->ranks[i] = order_ranks(store, &order, by_function);
  if (!ranks) return SQLITE_NOMEM;
  if (!by_function) return SQLITE_OK;
  uint32_t *ranked = malloc(((size_t)store->function_count + 1) * sizeof *ranked);
  sorted->ranked[i] = ranked;
  if (!ranked) return SQLITE_NOMEM;
  for (uint32_t function = 0; function < store->function_count; function++)
    ranked[ranks[function]] = function;
  return SQLITE_OK;
}

/* What a column that is a number has for a row of which this is stored. */
static int64_t value_of(const struct block *block, enum what what, uint32_t row, int64_t stored) {
  if (what == CALL_END) return end_ranks[stored & END_MASK];
  if (what != PARENT_ID) return divided(number_of(what), stored);
  return stored > 0 ? (int64_t)(block_call_number(block, row) - (uint64_t)stored) : 0;
}

static uint64_t placed(const struct part *part, uint64_t value) {
  return (part->descends ? part->most - value : value) << part->shift;
}

static int add_tuples(struct sorted *sorted, const struct scan *scan, unsigned shift,
                      uint64_t *words) {
  int code = SQLITE_OK;
  for (uint32_t at = 0; code == SQLITE_OK && at < scan->row_count; at++) {
    uint32_t number = 0;
    code = tuples_number(&sorted->tuples, scan->block, scan_row_at(scan, at), &number);
    words[at] |= (uint64_t)number << shift;
  }
  return code;
}

static int add_part(struct sorted *sorted, const struct scan *scan, int i, uint64_t *words) {
  const struct part *part = &sorted->layout.parts[i];
  struct block *block = scan->block;
  const uint32_t *ranks = sorted->ranks[i];
  if (is_of_thread(part->what)) {
    uint64_t value = placed(part, ranks[block->thread - sorted->store->threads]);
    for (uint32_t at = 0; at < scan->row_count; at++) words[at] |= value;
    return SQLITE_OK;
  }
  if (value_column(part->what) >= 0)
    return part->mask ? add_tuples(sorted, scan, part->shift, words) : SQLITE_OK;
  const int64_t *stored;
  int code =
      store_numbers(sorted->store, block, ranks ? ENTRY : number_of(part->what).column, &stored);
  for (uint32_t at = 0; code == SQLITE_OK && at < scan->row_count; at++) {
    uint32_t row = scan_row_at(scan, at);
    int64_t here = stored[row];
    if (ranks && (uint64_t)here >= block->entries) return SQLITE_CORRUPT_VTAB;
    here = ranks ? ranks[block->entry_function[here]] : value_of(block, part->what, row, here);
    uint64_t value = (uint64_t)here - (uint64_t)part->least;
    if (value > part->most) return SQLITE_CORRUPT_VTAB;
    words[at] |= placed(part, value);
  }
  return code;
}

/* The rows that the scan stands on. */
static int add_rows(struct sorted *sorted, const struct scan *scan) {
  uint64_t *words = sorted->words + sorted->count, place = scan->slices[scan->at - 1].place;
  for (uint32_t i = 0; i < scan->row_count; i++)
    words[i] = place << ROW_BITS | scan_row_at(scan, i);
  int code = SQLITE_OK;
  for (int i = 0; code == SQLITE_OK && i < sorted->layout.part_count; i++)
    code = add_part(sorted, scan, i, words);
  sorted->count += scan->row_count;
  return code;
}

/* The part of the columns of values; NULL: there are none. */
static const struct part *part_of_tuples(const struct sorted *sorted) {
  for (int i = 0; i < sorted->layout.part_count; i++) {
    const struct part *part = &sorted->layout.parts[i];
    if (value_column(part->what) >= 0) return part;
  }
  return NULL;
}

/* Places in the order take the place of numbers. */
static int rank_tuples(struct sorted *sorted) {
  const struct part *part = part_of_tuples(sorted);
  int code = part ? tuples_rank(&sorted->tuples) : SQLITE_OK;
  for (size_t i = 0; part && code == SQLITE_OK && i < sorted->count; i++) {
    uint64_t word = sorted->words[i], rank = sorted->tuples.ranks[word >> part->shift & part->mask];
    sorted->words[i] = (word & ~(part->mask << part->shift)) | rank << part->shift;
  }
  return code;
}

/* By the bits above the place: those that are equal stay as they are, in the order of their blocks.
 */
static int sort_words(struct sorted *sorted) {
  static const uint64_t mask = DIGITS - 1;
  size_t counts[MOST_DIGITS][DIGITS] = {{0}};
  unsigned digits = (sorted->layout.bits - sorted->layout.place_bits + DIGIT_BITS - 1) / DIGIT_BITS;
  for (size_t i = 0; i < sorted->count; i++) {
    uint64_t value = sorted->words[i] >> sorted->layout.place_bits;
    for (unsigned digit = 0; digit < digits; digit++)
      counts[digit][value >> digit * DIGIT_BITS & mask]++;
  }
  uint64_t *from = sorted->words, *to = malloc((sorted->count + 1) * sizeof *to);
  if (!to) return SQLITE_NOMEM;
  for (unsigned digit = 0; digit < digits; digit++) {
    unsigned shift = sorted->layout.place_bits + digit * DIGIT_BITS;
    size_t *places = counts[digit], at = 0;
    for (unsigned i = 0; i < DIGITS; i++) {
      size_t count = places[i];
      places[i] = at;
      at += count;
    }
    for (size_t i = 0; i < sorted->count; i++) to[places[from[i] >> shift & mask]++] = from[i];
    uint64_t *other = from;
    from = to;
    to = other;
  }
  sorted->words = from;
  free(to);
  return SQLITE_OK;
}

int sorted_begin(struct sorted *sorted, struct arguments *arguments, struct scan *scan,
                 const struct order *order) {
  sorted->store = scan->store;
  sorted->is_once = order->is_once;
  tuples_begin(&sorted->tuples, arguments, order);
  int code = order_lay_out(scan->store, order, &sorted->layout);
  for (int i = 0; code == SQLITE_OK && i < order->count; i++) code = rank_part(sorted, i);
  if (code != SQLITE_OK) return code;
  size_t most = 0;
  for (size_t i = 0; i < scan->count; i++) most += scan->slices[i].block->calls;
  sorted->words = malloc((most + 1) * sizeof *sorted->words);
  if (!sorted->words) return SQLITE_NOMEM;
  for (; code == SQLITE_OK && scan->block; code = scan_next_slice(scan)) {
    code = add_rows(sorted, scan);
    if (code != SQLITE_OK) return code;
  }
  if (code == SQLITE_OK) code = rank_tuples(sorted);
  return code == SQLITE_OK ? sort_words(sorted) : code;
}

void sorted_end(struct sorted *sorted) {
  for (int i = 0; i < MOST_ORDERS; i++) {
    free(sorted->ranks[i]);
    free(sorted->ranked[i]);
  }
  tuples_end(&sorted->tuples);
  free(sorted->words);
  *sorted = (struct sorted){0};
}

bool sorted_next(struct sorted *sorted, struct block **block, uint32_t *row) {
  if (sorted->at == sorted->count) return false;
  unsigned place_bits = sorted->layout.place_bits;
  uint64_t word = sorted->words[sorted->at++], value = word >> place_bits;
  if (sorted->is_once)
    while (sorted->at < sorted->count && sorted->words[sorted->at] >> place_bits == value)
      sorted->at++;
  sorted->word = word;
  word &= (UINT64_C(1) << place_bits) - 1;
  *block = sorted->store->by_time[word >> ROW_BITS];
  *row = word & ((1u << ROW_BITS) - 1);
  return true;
}

/* Which part has a column; -1: none. */
static int part_of(const struct sorted *sorted, enum what what, uint64_t *value) {
  for (int i = 0; i < sorted->layout.part_count; i++) {
    const struct part *part = &sorted->layout.parts[i];
    if (part->what != what) continue;
    *value = sorted->word >> part->shift & part->mask;
    if (part->descends) *value = part->most - *value;
    return i;
  }
  return -1;
}

bool sorted_number(const struct sorted *sorted, enum what what, uint64_t call, int64_t *number) {
  uint64_t value;
  int part = part_of(sorted, what, &value);
  if (part < 0) return false;
  if (what == CALL_END) *number = ranked_ends[value];
  else if (what == PARENT_ID) *number = value > 0 ? (int64_t)(call - value) : 0;
  else *number = sorted->layout.parts[part].least + (int64_t)value;
  return true;
}

const struct function *sorted_function(const struct sorted *sorted, enum what what) {
  uint64_t value;
  int part = part_of(sorted, what, &value);
  return part < 0 ? NULL : &sorted->store->functions[sorted->ranked[part][value]];
}

bool sorted_give(const struct sorted *sorted, enum what what, sqlite3_context *result) {
  const struct part *part = part_of_tuples(sorted);
  return part &&
         tuples_give(&sorted->tuples, sorted->word >> part->shift & part->mask, what, result);
}
