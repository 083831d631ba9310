/* Where the last instruction of some code begins. Decoding from a place further back meets its beginning even
 * from within an instruction, mostly after a few: so many places are begun at, and most have to agree. */
#include "../engine/x64/decode.h"
#include "store.h"

#define BEGINNINGS 16

uint32_t instruction_before(const uint8_t *code, uint32_t bytes) {
  uint32_t votes[STORE_LONGEST + 1] = {0}, all = 0, best = 0;
  for (uint32_t from = 0; from < BEGINNINGS && from + STORE_LONGEST < bytes; from++) {
    struct instruction one;
    uint32_t at = from, last = 0;
    while (at < bytes && decode(code + at, bytes - at, at, &one)) at += last = one.length;
    if (at != bytes) continue;
    all++;
    if (++votes[last] > votes[best]) best = last;
  }
  return 3 * votes[best] > 2 * all ? best : 0;
}
