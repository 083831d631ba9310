/* Where a function is patched: at its entry, behind the check of its stack, and at each of its
 * returns. No return address is moved and no frame is added, so that Go's runtime finds its way. */
#ifndef STROBE_OUTSIDE_SITES_H
#define STROBE_OUTSIDE_SITES_H

#include "../engine/types.h"
#include "image.h"

#define MOST_SITES 64
#define JUMP_BYTES 5

struct site {
  u64 address;
  u8 is_entry;
  u8 returns;   /* its last instruction is the function's return */
  u8 displaced; /* bytes that run elsewhere, the return not among them */
  u8 patched;   /* bytes that are overwritten */
};

struct sites {
  struct site all[MOST_SITES];
  u32 count;
};

/* Finds the sites of a function, whose code lies at `code`. Returns a VERDICT_ code. */
u32 sites_find(const u8 *code, u64 address, const struct go_function *function,
               struct sites *sites);

#endif
