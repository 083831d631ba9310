/* Threads at the level of registers. */
#ifndef STROBE_CONTEXT_H
#define STROBE_CONTEXT_H

#include "cpu.h"

/* What a thread has that a tracer stopped. Returns 0 or a negative error number. */
long context_registers(u32 tid, u64 registers[CPU_REGISTERS]);
long context_place(u32 tid, u64 *pc, u64 *sp);
void context_move(u32 tid, u64 pc);
/* The same of a thread that a signal interrupted; `context`: ucontext_t. */
void context_interrupted(const u64 *context, u64 registers[CPU_REGISTERS]);
/* Where the vector registers lie that a signal interrupted, for the crash file; 0: nowhere. */
u64 context_vectors(const u64 *context, u64 *bytes);

/* clone(2) with these flags: `work` is all that the child does. Returns the child's number. */
long context_clone(void (*work)(void), u8 *stack_top, u64 flags);
/* Calls `work` with the stack pointer at `top`; unwinders find their way through it. */
void context_call_on(int number, void *information, void *context, u64 top,
                     void (*work)(int, void *, void *));

/* A thread may be in a handler of the program's own, and the signal may have come between
 * instructions that are replaced now: moves the place where the handler returns to. `sp`: of the
 * thread, which does not run. */
void context_move_handlers(u64 sp, u64 (*move)(u64 pc));

#endif
