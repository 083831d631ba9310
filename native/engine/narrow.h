/* A jump in the place of one instruction that is shorter than it: its last bytes are those of the
 * code behind, so that they say where it may lead. */
#ifndef STROBE_NARROW_H
#define STROBE_NARROW_H

#include "functionCode.h"
#include "maps.h"
#include "sites.h"

struct narrow {
  u8 code[JUMP_BYTES]; /* as it is when the jump is written: other jumps may come before */
  u8 length;           /* of the instruction */
  u32 lean;            /* the number of the site of whose jump it has bytes, and 1; 0: none */
};

/* Whether the instruction can be replaced. Nothing but its own bytes is: whatever leads behind it
 * still may. Returns a VERDICT_ code. */
u32 narrow_look(const struct function_code *code, struct narrow *out);
/* The number of the site of whose jump a narrow one has bytes, and 1; 0: none. */
u32 narrow_lean(u64 address);
/* A place for its island, that can be written until narrow_close; 0: there is none. */
u64 narrow_island(const struct map_table *maps, u64 address, const struct narrow *narrow);
/* Islands can be run from here on. Returns whether they can. */
int narrow_close(void);

#endif
