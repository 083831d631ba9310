#include "scan.h"

#include <stdlib.h>

#include "ranks.h"

#define MOST_ROWS (1u << 24)
#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)
#define MOST_DIGITS (64 / DIGIT_BITS)

/* Ends by their names: what stands for each code, and the code of each. */
static const uint8_t end_ranks[END_MASK + 1] = {2, 3, 5, 0, 4, 1, 1, 1};
static const uint8_t ranked_ends[] = {3, 5, 0, 1, 4, 2};

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

int range_of_column(struct store *store, enum what what, int64_t *least, uint64_t *more) {
  int64_t most = 0;
  int code = SQLITE_OK;
  *least = 0;
  if (is_by_function(what)) most = store->function_count;
  else if (is_of_thread(what)) most = store->thread_count;
  else if (what == CALL_END) most = sizeof ranked_ends - 1;
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

static int plan_part(struct store *store, struct part *part) {
  if (!is_computed(part->what))
    return range_of_column(store, part->what, &part->least, &part->most);
  unsigned bits = 0;
  int code = computed_bits(store, part->what, &bits);
  part->most = (UINT64_C(1) << bits) - 1;
  return code;
}

/* Which bits have what; SQLITE_TOOBIG when there are not as many. */
static int lay_out(struct store *store, const struct order *order, struct sorted *sorted) {
  sorted->place_bits = ROW_BITS + bits_of(store->block_count);
  sorted->bits = sorted->place_bits;
  for (int i = order->count - 1; i >= 0; i--) {
    struct part *part = &sorted->parts[i];
    *part = (struct part){.what = order->by[i], .descends = order->descends[i]};
    int code = plan_part(store, part);
    if (code != SQLITE_OK) return code;
    unsigned bits = bits_of(part->most);
    part->shift = sorted->bits;
    part->mask = bits ? UINT64_MAX >> (64 - bits) : 0;
    sorted->bits += bits;
    /* A shift by all bits is none. */
    if (sorted->bits >= 64) return SQLITE_TOOBIG;
  }
  sorted->part_count = order->count;
  return SQLITE_OK;
}

static bool is_value(enum what what) {
  return what == ARGUMENTS || what == RETURN_VALUE || what == WATCH_VALUES;
}

/* How many bytes are kept of each row, beside its word. */
static uint64_t read_beside(const struct order *order, uint64_t used) {
  for (int i = 0; i < order->count; i++) used &= ~(UINT64_C(1) << order->by[i]);
  bool isRead[NUMBER_COLUMNS] = {false};
  for (int what = 0; what < PATTERN; what++) {
    if (!(used >> what & 1)) continue;
    struct number is = number_of((enum what)what);
    if (is_by_function((enum what)what)) isRead[ENTRY] = true;
    else if (is.divisor > 0) isRead[is.column] = true;
  }
  uint64_t bytes = 0;
  for (int column = 0; column < NUMBER_COLUMNS; column++) bytes += isRead[column] * sizeof(int64_t);
  for (int what = ARGUMENT; what <= RETURN_NUMBER; what++)
    bytes += (used >> what & 1) * VALUE_BYTES;
  return bytes;
}

int can_sort(struct store *store, const struct order *order, uint64_t used, bool *can) {
  *can = false;
  for (int i = 0; i < order->count; i++) {
    enum what what = order->by[i];
    bool isKnown = is_computed(what) ? computed_is_defined(store, what)
                                     : is_by_function(what) || is_of_thread(what) ||
                                           (number_of(what).divisor > 0 && what != PARENT_NUMBER);
    /* The order of ids as texts is another one than theirs. */
    if (!isKnown || (what == PARENT_ID && !order->is_of_groups)) return SQLITE_OK;
  }
  /* Those are quick only in the order of the calls. */
  for (int what = 0; what < PATTERN; what++)
    if (used >> what & 1 && is_value((enum what)what)) return SQLITE_OK;
  int code = store_load(store);
  if (code != SQLITE_OK) return code;
  uint64_t bytes = store->call_count * read_beside(order, used);
  if (store->call_count > MOST_ROWS || bytes > MOST_COLUMN_BYTES) return SQLITE_OK;
  struct sorted sorted;
  code = lay_out(store, order, &sorted);
  *can = code == SQLITE_OK;
  return code == SQLITE_TOOBIG ? SQLITE_OK : code;
}

static int rank_part(struct store *store, struct part *part) {
  if (is_computed(part->what)) return values_begin(store, part->what, &part->values);
  bool isByFunction = is_by_function(part->what);
  if (!isByFunction && !is_of_thread(part->what)) return SQLITE_OK;
  struct order order = {.count = 1, .by = {part->what}};
  part->ranks = ranks_of(&(struct ranking){store, &order, isByFunction});
  if (!part->ranks) return SQLITE_NOMEM;
  if (!isByFunction) return SQLITE_OK;
  part->ranked = malloc(((size_t)store->function_count + 1) * sizeof *part->ranked);
  if (!part->ranked) return SQLITE_NOMEM;
  for (uint32_t i = 0; i < store->function_count; i++) part->ranked[part->ranks[i]] = i;
  return SQLITE_OK;
}

/* What a part has for a row of which this is stored. */
static int64_t value_of(const struct part *part, const struct block *block, struct number is,
                        uint32_t row, int64_t stored) {
  if (part->ranks) return part->ranks[block->entry_function[stored]];
  if (part->what == PARENT_ID)
    return stored > 0 ? (int64_t)(block_call_number(block, row) - (uint64_t)stored) : 0;
  return part->what == CALL_END ? end_ranks[stored & END_MASK] : divided(is, stored);
}

static int add_part(struct scan *scan, const struct part *part, uint64_t *words) {
  struct block *block = scan->block;
  bool isByFunction = is_by_function(part->what);
  struct number is = isByFunction ? (struct number){ENTRY, 1} : number_of(part->what);
  const int64_t *stored;
  int code = store_numbers(scan->store, block, is.column, &stored);
  if (code != SQLITE_OK) return code;
  for (uint32_t i = 0; i < scan->row_count; i++) {
    uint32_t row = scan->rows ? scan->rows[i] : scan->base + i;
    int64_t here = stored[row];
    if (isByFunction && (uint64_t)here >= block->entries) return SQLITE_CORRUPT_VTAB;
    uint64_t value = (uint64_t)value_of(part, block, is, row, here) - (uint64_t)part->least;
    if (value > part->most) return SQLITE_CORRUPT_VTAB;
    words[i] |= (part->descends ? part->most - value : value) << part->shift;
  }
  return SQLITE_OK;
}

static void add_thread(const struct scan *scan, const struct part *part, uint64_t *words) {
  uint64_t value = part->ranks[scan->block->thread - scan->store->threads];
  if (part->descends) value = part->most - value;
  for (uint32_t i = 0; i < scan->row_count; i++) words[i] |= value << part->shift;
}

/* The rows that the scan stands on. */
static int add_rows(struct scan *scan, uint64_t place) {
  struct sorted *sorted = &scan->sorted;
  uint64_t *words = sorted->words + sorted->count;
  for (uint32_t i = 0; i < scan->row_count; i++)
    words[i] = place << ROW_BITS | (scan->rows ? scan->rows[i] : scan->base + i);
  int code = SQLITE_OK;
  for (int i = 0; code == SQLITE_OK && i < sorted->part_count; i++) {
    const struct part *part = &sorted->parts[i];
    if (part->values) code = values_add(scan, part->values, part->shift, words);
    else if (is_of_thread(part->what)) add_thread(scan, part, words);
    else code = add_part(scan, part, words);
  }
  sorted->count += scan->row_count;
  return code;
}

/* Puts the values' places in their order where their numbers were. */
static int rank_values(struct sorted *sorted, const struct part *part) {
  const uint32_t *ranks;
  int code = values_rank(part->values, &ranks);
  for (size_t i = 0; code == SQLITE_OK && i < sorted->count; i++) {
    uint64_t rank = ranks[sorted->words[i] >> part->shift & part->mask];
    sorted->words[i] &= ~(part->mask << part->shift);
    sorted->words[i] |= (part->descends ? part->most - rank : rank) << part->shift;
  }
  return code;
}

/* By the bits above the place: those that are equal stay as they are, in the order of their blocks.
 */
static int sort_words(struct sorted *sorted) {
  static const uint64_t mask = DIGITS - 1;
  size_t counts[MOST_DIGITS][DIGITS] = {{0}};
  unsigned digits = (sorted->bits - sorted->place_bits + DIGIT_BITS - 1) / DIGIT_BITS;
  for (size_t i = 0; i < sorted->count; i++) {
    uint64_t value = sorted->words[i] >> sorted->place_bits;
    for (unsigned digit = 0; digit < digits; digit++)
      counts[digit][value >> digit * DIGIT_BITS & mask]++;
  }
  uint64_t *from = sorted->words, *to = malloc((sorted->count + 1) * sizeof *to);
  if (!to) return SQLITE_NOMEM;
  for (unsigned digit = 0; digit < digits; digit++) {
    unsigned shift = sorted->place_bits + digit * DIGIT_BITS;
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

int sort_rows(struct scan *scan, const struct order *order) {
  struct sorted *sorted = &scan->sorted;
  sorted->is_once = order->is_once;
  int code = lay_out(scan->store, order, sorted);
  for (int i = 0; code == SQLITE_OK && i < sorted->part_count; i++)
    code = rank_part(scan->store, &sorted->parts[i]);
  if (code != SQLITE_OK) return code;
  size_t most = 0;
  for (size_t i = 0; i < scan->count; i++) most += scan->slices[i].block->calls;
  sorted->words = malloc((most + 1) * sizeof *sorted->words);
  if (!sorted->words) return SQLITE_NOMEM;
  while (code == SQLITE_OK && (code = scan_next_slice(scan)) == SQLITE_OK && scan->block)
    code = add_rows(scan, scan->slices[scan->at - 1].place);
  for (int i = 0; code == SQLITE_OK && i < sorted->part_count; i++)
    if (sorted->parts[i].values) code = rank_values(sorted, &sorted->parts[i]);
  if (code == SQLITE_OK) code = sort_words(sorted);
  /* What is read of each row in this order needs the room. */
  for (int column = 0; column < VALUE_COLUMNS; column++) store_drop_values(scan->store, column);
  scan->at = 0;
  sorted->is_ready = code == SQLITE_OK;
  return code;
}

void sorted_free(struct sorted *sorted) {
  for (int i = 0; i < sorted->part_count; i++) {
    free(sorted->parts[i].ranks);
    free(sorted->parts[i].ranked);
    values_free(sorted->parts[i].values);
  }
  free(sorted->words);
  *sorted = (struct sorted){0};
}

static const struct part *part_of(const struct sorted *sorted, enum what what) {
  for (int i = 0; i < sorted->part_count; i++)
    if (sorted->parts[i].what == what) return &sorted->parts[i];
  return NULL;
}

static uint64_t value_in(const struct part *part, uint64_t word) {
  uint64_t value = word >> part->shift & part->mask;
  return part->descends ? part->most - value : value;
}

bool sorted_number(const struct scan *scan, enum what what, int64_t *number) {
  const struct part *part = part_of(&scan->sorted, what);
  if (!part) return false;
  uint64_t value = value_in(part, scan->word);
  if (what == CALL_END) *number = ranked_ends[value];
  else if (what == PARENT_ID)
    *number = value > 0 ? (int64_t)((uint64_t)scan_call_number(scan) - value) : 0;
  else *number = part->least + (int64_t)value;
  return true;
}

const struct function *sorted_function(const struct scan *scan, enum what what) {
  const struct part *part = part_of(&scan->sorted, what);
  return part ? &scan->store->functions[part->ranked[value_in(part, scan->word)]] : NULL;
}

sqlite3_value *sorted_value(const struct scan *scan, enum what what) {
  const struct part *part = part_of(&scan->sorted, what);
  return part ? values_at(part->values, value_in(part, scan->word)) : NULL;
}
