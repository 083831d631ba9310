/* See boundary.h. Displaced code of a hooked function begins behind
 * the head of its island; elsewhere decoding from a place further back meets the beginning even
 * from within an instruction, mostly after a few: so many places are begun at, and most have to
 * agree. */
#include "boundary.h"
#include "../engine/cpu.h"
#include "../engine/x64/decode.h"
#include <string.h>

#define BEGINNINGS 16
#define ISLANDS_BEGIN_AT 16 /* a multiple of it */

/* How long the last instruction is by decoding from `from` on; 0: none ends there. */
static uint32_t last_from(const uint8_t *code, uint32_t bytes, uint32_t from) {
  struct instruction one;
  uint32_t last = 0;
  while (from < bytes && decode(code + from, bytes - from, from, &one)) from += last = one.length;
  return from == bytes ? last : 0;
}

/* What code_head (../engine/code.h) makes: jmp [rip], an address of the program's half, nothing. */
static int is_island_head(const uint8_t *code) {
  static const uint8_t jump[6] = {0xff, 0x25}, high[4];
  return memcmp(code, jump, sizeof jump) == 0 && memcmp(code + 12, high, sizeof high) == 0;
}

/* Where displaced code begins; 0: this is no island. */
static uint32_t displaced_from(const uint8_t *code, uint32_t bytes, uint64_t end) {
  for (uint32_t at = (uint32_t)(bytes - end) % ISLANDS_BEGIN_AT; at + ISLAND_HEAD < bytes;
       at += ISLANDS_BEGIN_AT)
    if (is_island_head(code + at)) return at + ISLAND_HEAD;
  return 0;
}

uint32_t instruction_before(const uint8_t *code, uint32_t bytes, uint64_t end) {
  uint32_t votes[LONGEST_INSTRUCTION + 1] = {0}, all = 0, best = 0,
                                       displaced = displaced_from(code, bytes, end);
  if (displaced) return last_from(code, bytes, displaced);
  for (uint32_t from = 0; from < BEGINNINGS && from + LONGEST_INSTRUCTION < bytes; from++) {
    uint32_t last = last_from(code, bytes, from);
    if (!last) continue;
    all++;
    if (++votes[last] > votes[best]) best = last;
  }
  return 3 * votes[best] > 2 * all ? best : 0;
}
