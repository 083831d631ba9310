/* Copies of a value and of what it leads to, by a program of steps (src/protocol/walk.ts). Runs
 * inside traced calls: no libc, no locks; the program's memory is read as reads.h does. */
#ifndef STROBE_WALK_H
#define STROBE_WALK_H

#include "types.h"

/* One value at words[used..room): a header as of text, then pieces. `program`: index of its first
 * step; `root`: its bytes, or null when they lie at `address`. Returns the new count of words. */
u32 walk_value(u64 *words, u32 used, u32 room, u32 program, const u8 *root, u64 address, u32 bytes);

/* Whether a value leads to memory that is copied, besides its own. */
int walk_reads(u32 program);

#endif
