/* Writing code of a running process. */
#ifndef STROBE_PATCH_H
#define STROBE_PATCH_H

#include "cpu.h"
#include "maps.h"

struct change {
  u64 address;
  u8 bytes[JUMP_BYTES];
  u8 refused; /* VERDICT_ code, when it could not be applied */
};

/* Applies the changes that are not refused, with all other running threads stopped. Returns how
 * many were stopped. */
u32 patch_apply(const struct map_table *maps, struct change *changes, u32 count);

#endif
