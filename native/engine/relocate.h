/* Moving the first instructions of a function elsewhere. */
#ifndef STROBE_RELOCATE_H
#define STROBE_RELOCATE_H

#include "cpu.h"
#include "functionCode.h"

struct displaced {
  u8 code[DISPLACED_BYTES];
  u8 length;
  u8 consumed; /* original bytes it stands for, at least JUMP_BYTES unless padding follows */
  u8 moves;    /* instruction starts inside the bytes that are replaced, entry excluded … */
  u8 from[MAX_MOVES];
  u8 to[MAX_MOVES]; /* … and their places in `code` */
};

/* Displaces the instructions at `function->bytes` behind what `out->code` has already, and looks at
 * no others. `at`: where `out->code` will lie. Returns a VERDICT_ code. */
u32 displace(const struct function_code *function, u64 at, struct displaced *out);
/* The same of `count` bytes of whole instructions, behind which the program goes on at `next`. */
u32 displace_part(const struct function_code *function, u32 count, u64 next, u64 at,
                  struct displaced *out);
/* Displaces the entry of a function into code that will lie at `at`. Returns a VERDICT_ code. */
u32 relocate(const struct function_code *function, u64 at, struct displaced *out);

#endif
