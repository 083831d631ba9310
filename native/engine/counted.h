/* Hot functions and policies: which calls are recorded, which are counted. See counted.c. */
#ifndef STROBE_COUNTED_H
#define STROBE_COUNTED_H

#include "cpu.h"
#include "raw.h"

/* Whether a call passes what its function's policy asks of it. Not to be asked twice. */
int counted_wants(u32 fn, const struct registers *r, u64 sp);
/* Whether only its end says of a call whether it is recorded: till then its entry waits. */
int counted_waits(u32 fn);
/* Whether a call that returns passes what is asked of it then; `r` as for `return_registers`. */
int counted_returns(u32 fn, const struct registers *r, u64 sp);
/* After how many cycles a call that waits is sure to be recorded; 0: that depends on other calls.
 */
u64 counted_promised(u32 fn);
int counted_keeps(u32 fn, u64 took);
/* A call that waited is recorded. */
void counted_took(u32 fn);
/* Counts a call that has ended. */
void counted_whole(u8 *slot, u32 fn, u64 took);
/* Whether a call lies too deep to be recorded; if not, it is one of those that are open. */
int counted_is_too_deep(u8 *slot, u32 fn, u64 sp);
/* Counts a call in place of recording it. */
void counted_pass(u8 *slot, struct frame *frame);
void engine_check_hot(void);

/* By function: it is hot; of its policy, one call in so many is recorded. */
extern u8 counted_hot[ALL_FUNCTIONS] __attribute__((visibility("hidden")));
extern u32 counted_every[ALL_FUNCTIONS] __attribute__((visibility("hidden")));
/* Whether a function's calls are sampled. */
static inline int counted_is_sampled(u32 fn) {
  return RELAXED(counted_hot[fn]) || RELAXED(counted_every[fn]) > 1;
}

/* What a function's policy adds to its plan word. */
u32 counted_plan(u32 fn);
/* The entry of a call of a function that is sampled. Returns whether it is to be recorded. */
int counted_enter(u8 *slot, struct frame *frame);
void counted_end(u8 *slot, const struct frame *frame);
/* Nothing is sampled any more. */
void counted_leave(void);
/* The same for calls that have no frame of ours (dynamic.c): whether the next one of a function
 * that is sampled is recorded, and not counted; counts one, and returns whether it could; a counted
 * one has ended. `counted_has_row`: whether its calls can be counted;
 * `counted_cycles`: that number of nanoseconds. */
int counted_has_row(u32 fn);
u64 counted_cycles(u64 ns);
int counted_takes(u8 *slot, u32 fn);
int counted_begins(u8 *slot, u32 fn);
void counted_has_ended(u8 *slot, u32 fn, u64 took);

#endif
