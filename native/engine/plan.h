/* What each function captures, and the words that say so to the thunks. */
#ifndef STROBE_PLAN_H
#define STROBE_PLAN_H

#include "types.h"

/* Plan word: function number (20 bits) · more than one word << 20 · epoch << 21 · the bits below.
 */
#define PLAN_EPOCH_SHIFT 21
#define PLAN_EPOCH_MASK 0x03e00000
#define PLAN_FLOAT_RETURN 0x04000000
#define PLAN_STRING_RETURN 0x08000000
#define PLAN_STACK 0x10000000
/* Of a function: its calls are sampled. In a frame, with the next: its end is to be counted. */
#define PLAN_COUNTED 0x20000000
/* Set in a frame whose entry was not recorded, so that its end is not either. With PLAN_COUNTED and
 * without PLAN_GENERAL: it waits, and how long the call took decides (waiting.c). */
#define PLAN_UNRECORDED 0x40000000
/* The same bit of a function: which calls are recorded depends on more than their number. */
#define PLAN_FILTERED 0x40000000
/* The entry needs the C path. */
#define PLAN_GENERAL 0x80000000
#define PLAN_TAG_MASK 0x001fffff
#define PLAN_FUNCTION_MASK 0x000fffff
#define LAST_FRAME_EPOCH 31

#define STACK_COPY_MAX 256

#ifndef __ASSEMBLER__

#define MOST_PAYLOAD_WORDS 512

/* The captured values of one function, as the C path reads them. */
struct plan {
  u16 stack_bytes;
  u16 string_bytes;
  u8 return_kind;
  u8 op_count;
  u16 payload_words; /* bound of what one entry can capture, 1 to MOST_PAYLOAD_WORDS */
  u8 is_fast;        /* pool.S records an entry by itself */
  u8 reads_memory;   /* an entry is captured from what the program's addresses lead to */
  u64 return_op;
  u64 ops[RECORD_MAX_OPS];
};

extern struct plan engine_plans[RECORD_MAX_FUNCTIONS];
extern u32 engine_function_count; /* one more than the highest number that was armed */
extern u32 engine_next_local;     /* the number of the next function that a runtime defines */

#endif
#endif
