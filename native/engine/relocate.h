/* Moving the first instructions of a function elsewhere. */
#ifndef STROBE_RELOCATE_H
#define STROBE_RELOCATE_H

#include "cpu.h"

struct displaced {
  u8 code[DISPLACED_BYTES];
  u8 length;
  u8 consumed; /* original bytes it stands for, at least JUMP_BYTES unless padding follows */
  u8 moves;    /* instruction starts inside the bytes that are replaced, entry excluded … */
  u8 from[MAX_MOVES];
  u8 to[MAX_MOVES]; /* … and their places in `code` */
};

/* Displaces the entry of the function at `address` (`size` bytes, 0 = unknown, `next` bytes before
 * the next one that is known, 0 = unknown or far; `room` bytes are readable) into code that will
 * lie at `at`. `code` holds the function's bytes. Returns a VERDICT_ code. */
u32 relocate(const u8 *code, u64 room, u64 address, u32 size, u32 next, u64 at,
             struct displaced *out);

#endif
