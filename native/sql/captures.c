#include "captures.h"

#include <stdlib.h>
#include <string.h>

/* Columns of a block (src/db/blockFormat.ts). */
enum { ENTER_BYTES = 7, RETURN_BYTES, PAYLOAD, PACKED = 12 };
/* Calls that get no columns (src/db/packedPayload.ts). */
#define FEW_CALLS 8u
/* A block is closed before a call has as many. */
#define MOST_WORDS 16384u

/* Where the reading stands. */
struct reading {
  struct store *store;
  struct block *block;
  bool is_return;
  take_captured take;
  void *taker;
  const uint8_t *data;
  size_t size, at;
  /* By row, how many were captured at the entry and at the return. */
  uint32_t words[2][MOST_CALLS];
  uint16_t rows[MOST_CALLS];
  /* By length; 0 where there is none. */
  uint32_t counts[MOST_WORDS], next[MOST_WORDS];
  uint16_t lengths[MOST_CALLS];
  uint32_t columns[MOST_WORDS];
};

static size_t aligned(size_t bytes) { return (bytes + 3) & ~(size_t)3; }

void captured_column(const struct captured *captured, uint32_t word, uint32_t *to) {
  uint32_t calls = captured->calls;
  if (!captured->widths) {
    for (uint32_t i = 0; i < calls; i++) to[i] = captured_word(captured, word, i);
    return;
  }
  const uint8_t *column = captured->data + captured->columns[word];
  uint32_t base = read_word(captured->bases + (size_t)word * 4);
  switch (captured->widths[word]) {
  case 0:
    for (uint32_t i = 0; i < calls; i++) to[i] = base;
    break;
  case 1:
    for (uint32_t i = 0; i < calls; i++) to[i] = base + column[i];
    break;
  case 2:
    for (uint32_t i = 0; i < calls; i++) {
      uint16_t two;
      memcpy(&two, column + (size_t)i * 2, sizeof two);
      to[i] = base + two;
    }
    break;
  default:
    for (uint32_t i = 0; i < calls; i++) to[i] = base + read_word(column + (size_t)i * 4);
  }
}

/* The captures of these calls, which all have so many bytes, begin here. */
static int read_alike(struct reading *reading, struct captured *captured, bool is_taken) {
  uint32_t words = captured->words, calls = captured->calls;
  const uint8_t *from = reading->data + reading->at;
  size_t left = reading->size - reading->at, bytes = (size_t)calls * words * 4;
  captured->widths = captured->bases = NULL;
  captured->data = from;
  if (calls >= FEW_CALLS) {
    bytes = (size_t)words * 4 + aligned(words);
    if (bytes > left) return SQLITE_CORRUPT_VTAB;
    captured->bases = from;
    captured->widths = from + (size_t)words * 4;
    captured->columns = reading->columns;
    for (uint32_t word = 0; word < words; word++) {
      reading->columns[word] = (uint32_t)bytes;
      bytes += aligned((size_t)calls * captured->widths[word]);
      if (captured->widths[word] > 4 || captured->widths[word] == 3) return SQLITE_CORRUPT_VTAB;
    }
  }
  if (bytes > left) return SQLITE_CORRUPT_VTAB;
  reading->at += bytes;
  return is_taken ? reading->take(reading->taker, captured) : SQLITE_OK;
}

static int compare_lengths(const void *a, const void *b) {
  uint16_t one = *(const uint16_t *)a, other = *(const uint16_t *)b;
  return (one > other) - (one < other);
}

/* Which lengths there are, in words, the shortest first; `counts`: how many calls have each. */
static uint32_t find_lengths(struct reading *reading, const uint32_t *words, const uint16_t *rows,
                             uint32_t calls) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < calls; i++) {
    uint32_t length = words[rows[i]];
    if (reading->counts[length]++ == 0) reading->lengths[found++] = (uint16_t)length;
  }
  if (found > 1) qsort(reading->lengths, found, sizeof *reading->lengths, compare_lengths);
  return found;
}

/* The captures of a function's calls, by their length. */
static int read_entry(struct reading *reading, uint32_t entry, const uint16_t *rows,
                      bool is_return) {
  uint32_t calls = reading->block->entry_calls[entry];
  const uint32_t *words = reading->words[is_return];
  bool is_taken = is_return == reading->is_return;
  uint32_t found = find_lengths(reading, words, rows, calls);
  if (found > 1 && is_taken) {
    /* Rows of one length behind each other. */
    for (uint32_t i = 0, at = 0; i < found; i++) {
      uint32_t length = reading->lengths[i];
      reading->next[length] = at;
      at += reading->counts[length];
    }
    for (uint32_t i = 0; i < calls; i++) reading->rows[reading->next[words[rows[i]]]++] = rows[i];
  }
  int code = SQLITE_OK;
  const uint16_t *own = found > 1 ? reading->rows : rows;
  for (uint32_t i = 0; i < found; i++) {
    uint32_t length = reading->lengths[i], count = reading->counts[length];
    reading->counts[length] = 0;
    struct captured captured = {.entry = entry, .calls = count, .words = length, .rows = own};
    if (code == SQLITE_OK && length > 0) code = read_alike(reading, &captured, is_taken);
    own += count;
  }
  return code;
}

static int read_packed(struct reading *reading, const uint16_t *posting) {
  const struct block *block = reading->block;
  for (uint32_t entry = 0; entry < block->entries; entry++) {
    const uint16_t *rows = posting + block->entry_from[entry];
    int code = read_entry(reading, entry, rows, false);
    if (code == SQLITE_OK) code = read_entry(reading, entry, rows, true);
    if (code != SQLITE_OK) return code;
  }
  return reading->at == reading->size ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
}

/* Row after row: what was entered with, then what was returned. */
static int read_rows(struct reading *reading, const int64_t *entries) {
  for (uint32_t row = 0; row < reading->block->calls; row++) {
    uint32_t entered = reading->words[0][row], returned = reading->words[1][row];
    uint32_t own = reading->is_return ? returned : entered;
    const uint8_t *data = reading->data + reading->at + (reading->is_return ? entered * 4 : 0);
    reading->at += ((size_t)entered + returned) * 4;
    if (reading->at > reading->size || (uint64_t)entries[row] >= reading->block->entries)
      return SQLITE_CORRUPT_VTAB;
    uint16_t place = (uint16_t)row;
    struct captured captured = {
        .entry = (uint32_t)entries[row], .calls = 1, .words = own, .rows = &place, .data = data};
    int code = own > 0 ? reading->take(reading->taker, &captured) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

static int read_lengths(struct reading *reading, int column, uint32_t *to) {
  const struct block *block = reading->block;
  char width = column < (int)strlen(block->widths) ? block->widths[column] : 0;
  size_t bytes = (size_t)block->calls * (size_t)(width - '0');
  if (width != '1' && width != '2' && width != '4') return SQLITE_CORRUPT_VTAB;
  const uint8_t *data;
  size_t size;
  int code = store_column(reading->store, block, column, &data, &size);
  if (code == SQLITE_OK && size < bytes) code = SQLITE_CORRUPT_VTAB;
  for (uint32_t i = 0; code == SQLITE_OK && i < block->calls; i++) {
    uint16_t two = 0;
    if (width == '2') memcpy(&two, data + (size_t)i * 2, sizeof two);
    uint32_t own = width == '1' ? data[i] : width == '2' ? two : read_word(data + (size_t)i * 4);
    to[i] = own / 4;
    if (own % 4 != 0 || to[i] >= MOST_WORDS) code = SQLITE_CORRUPT_VTAB;
  }
  sqlite3_reset(reading->store->column);
  return code;
}

/* What was captured is kept in one of two forms; where nothing was, in none. */
static int read_all(struct reading *reading, const uint16_t *posting) {
  const int64_t *entries;
  int code = store_column(reading->store, reading->block, PACKED, &reading->data, &reading->size);
  if (code != SQLITE_OK) return code;
  if (reading->data) return read_packed(reading, posting);
  sqlite3_reset(reading->store->column);
  code = store_numbers(reading->store, reading->block, ENTRY, &entries);
  if (code != SQLITE_OK) return code;
  code = store_column(reading->store, reading->block, PAYLOAD, &reading->data, &reading->size);
  return code == SQLITE_OK ? read_rows(reading, entries) : code;
}

int captures_read(struct store *store, struct block *block, bool is_return, take_captured take,
                  void *taker) {
  struct reading *reading = calloc(1, sizeof *reading);
  if (!reading) return SQLITE_NOMEM;
  reading->store = store;
  reading->block = block;
  reading->is_return = is_return;
  reading->take = take;
  reading->taker = taker;
  const uint16_t *posting;
  int code = store_posting(store, block, &posting);
  if (code == SQLITE_OK) code = read_lengths(reading, ENTER_BYTES, reading->words[0]);
  if (code == SQLITE_OK) code = read_lengths(reading, RETURN_BYTES, reading->words[1]);
  if (code == SQLITE_OK) code = read_all(reading, posting);
  sqlite3_reset(store->column);
  free(reading);
  return code;
}
