/* What was captured of the calls of a block (src/db/packedPayload.ts, src/db/blockFormat.ts), word
 * by word. */
#ifndef STROBE_SQL_CAPTURES_H
#define STROBE_SQL_CAPTURES_H

#include <string.h>

#include "store.h"

/* Captures of some calls of one function that have the same length, in words of 4 bytes. */
struct captured {
  uint32_t entry, calls, words;
  /* Rows of the block. */
  const uint16_t *rows;
  const uint8_t *data;
  /* Per word a column of `widths` bytes a call, from `columns` on in `data`, above `bases`. NULL:
   * call by call. */
  const uint8_t *widths, *bases;
  const uint32_t *columns;
};

static inline uint32_t read_word(const uint8_t *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* One word of the i-th call. */
static inline uint32_t captured_word(const struct captured *captured, uint32_t word, uint32_t i) {
  if (!captured->widths)
    return read_word(captured->data + ((size_t)i * captured->words + word) * 4);
  const uint8_t *column = captured->data + captured->columns[word];
  uint32_t base = read_word(captured->bases + (size_t)word * 4);
  uint16_t two;
  switch (captured->widths[word]) {
  case 0: return base;
  case 1: return base + column[i];
  case 2: memcpy(&two, column + (size_t)i * 2, sizeof two); return base + two;
  default: return base + read_word(column + (size_t)i * 4);
  }
}

/* One word of each call. */
void captured_column(const struct captured *captured, uint32_t word, uint32_t *to);

/* Takes the captures of some calls; answers a code of SQLite. */
typedef int (*take_captured)(void *taker, const struct captured *captured);

/* Hands over all that was captured at the entry of the block's calls, or at their return. */
int captures_read(struct store *store, struct block *block, bool is_return, take_captured take,
                  void *taker);

#endif
