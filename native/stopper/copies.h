/* Copies of instructions under an int3, which lead back behind them: a thread passes an int3
 * through one while other threads meet it. */
#ifndef STROBE_STOPPER_COPIES_H
#define STROBE_STOPPER_COPIES_H

#include "../engine/types.h"
#include "../engine/x64/decode.h"

#define LONGEST_INSTRUCTION 15

struct copy {
  u64 at;      /* 0: no copy was made in this place */
  u64 address; /* of the int3 that is passed through it; 0: it is out */
  u64 of;      /* what it stands for */
  u32 length;
  u32 is_call; /* it has become a jump: who goes there has pushed the return address */
  u32 users;   /* threads that were sent there, and did not stop since */
};

/* The copy of the instruction at an address, of which these are the bytes; null: it cannot run
 * elsewhere. */
struct copy *copy_of(u64 address, const u8 *code, const struct instruction *in);
/* The int3 is out. */
void copy_forget(u64 address);
/* The last that is done. */
void copies_clear(void);
/* Where a thread that stands in a copy would be without it. */
u64 copy_original(const struct copy *copy, u64 pc);

#endif
