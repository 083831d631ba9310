/* Values that C's convention passes, as an operation of a plan says (record.ts, captureOp). Both
 * append to words[used..room) and return the new count; `stack`: the arguments there. */
#ifndef STROBE_CAPTURE_VALUE_H
#define STROBE_CAPTURE_VALUE_H

#include "cpu.h"

u32 capture_value(u64 *words, u32 used, u32 room, u64 op, const struct registers *r,
                  const u64 *stack);
/* The same of operations that copy what a value leads to, by a program of steps. */
u32 capture_walk(u64 *words, u32 used, u32 room, u64 op, const struct registers *r,
                 const u64 *stack);

#endif
