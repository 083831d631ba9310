/* What pool.S calls: everything that its fast path does not do itself. */
#ifndef STROBE_RING_H
#define STROBE_RING_H

#include "cpu.h"

/* The entry of a call off the fast path. Returns 1 when it gets no frame: that above is ours and is
 * reused (a tail call), or it must have none; else 0. `copy`, when given, takes the stack
 * arguments. */
u32 ring_enter(struct registers *r, struct frame *frame, u8 *copy);
/* The entry of a call that is recorded, or waits. The registers are those of its arguments alone.
 */
void ring_record(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp,
                 int may_wait);
/* The end of a call that the fast path recorded in a slot whose reader sleeps, or where the ring is
 * to be looked at. */
void ring_returned(void);
/* The end of a call that returns more than a word, has watches, or whose entry waited; `address`
 * and `second` were in rax and rdx. */
void ring_return(u64 address, struct frame *frame, u64 second, const struct registers *r);
/* The personality of the inserted frame: marks it as left by an exception (or by a forced unwind:
 * pthread_exit, cancellation) and lets the unwinder go on. */
int engine_personality(int version, int actions, u64 class, void *exception, void *context);

#endif
