/* Stacks for the handlers of signals. */
#ifndef STROBE_SIGNAL_STACK_H
#define STROBE_SIGNAL_STACK_H

#include "types.h"

/* As sigaltstack(2) has it. */
struct signal_stack {
  u64 base;
  int flags;
  u64 bytes;
};
#define STACK_IN_USE 1
#define STACK_DISABLED 2
/* A stack for signals, for a thread that has none: an overflow of its own leaves no room for a
 * handler. `signal_stack_end` gives it back. */
void signal_stack_begin(void);
void signal_stack_end(void);
/* The lowest address of a stack of HANDLER_STACK_BYTES of this thread for handlers, or 0. */
#define HANDLER_STACK_BYTES 0x100000ul
u64 signal_stack_own(void);
/* Calls `work` for all that threads have, as far as they are known. */
void signal_stacks_each(void (*work)(u64 from, u64 to, void *argument), void *argument);
/* Whether a stack pointer of this thread lies there. */
int signal_stack_holds(u64 sp);

#endif
