/* Writing code of a running process. */
#ifndef STROBE_PATCH_H
#define STROBE_PATCH_H

#include "cpu.h"
#include "maps.h"

#define CHANGE_FOUND 24

struct change {
  u64 address;
  /* What the change was made for. Another library may have come to the address meanwhile. */
  u8 found[CHANGE_FOUND];
  u8 found_bytes;
  u8 bytes[JUMP_BYTES];
  u8 refused; /* VERDICT_ code, when it could not be applied */
};

/* Applies the changes that are not refused, with all other running threads stopped. Returns how
 * many were stopped. */
u32 patch_apply(const struct map_table *maps, struct change *changes, u32 count);

#endif
