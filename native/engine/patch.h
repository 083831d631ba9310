/* Writing code of a running process. */
#ifndef STROBE_PATCH_H
#define STROBE_PATCH_H

#include "maps.h"
#include "relocate.h"

struct change {
  u64 address;
  u8 bytes[JUMP_BYTES];
  u8 is_refused; /* set when the memory cannot be made writable */
};

/* Applies the changes with all other running threads stopped. Returns how many were stopped. */
u32 patch_apply(const struct map_table *maps, struct change *changes, u32 count);

#endif
