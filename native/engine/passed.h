/* Values that are passed, or returned, in up to two registers. */
#ifndef STROBE_PASSED_H
#define STROBE_PASSED_H

#include "cpu.h"

/* The bytes of such a value, those of the second register from `second` on: eight of each. `index`:
 * the registers, see captureOp.walkRegisters. */
static inline void passed_value(u8 *bytes, u32 index, u32 second, const struct registers *r) {
  for (u32 i = 0; i < 2; i++) {
    u32 from = index >> 4 * i & 15;
    u64 word = from >= 8 ? r->vector[from - 8] : from < INTEGER_REGISTERS ? r->integer[from] : 0;
    if (!i || from != (index & 15)) *(u64 *)(bytes + (i ? second : 0)) = word;
  }
}

#endif
