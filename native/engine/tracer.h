/* A thread may not trace its own process, so a tracer does: a child that shares all memory, has all
 * signals blocked and lives for one piece of work. When it ends early, the kernel lets its threads
 * go on. A stop by PTRACE_INTERRUPT leaves no trace: system calls are restarted by the kernel. */
#ifndef STROBE_TRACER_H
#define STROBE_TRACER_H

#include "types.h"

#define WAIT_NO_HANG 1
#define WAIT_ALL 0x40000000
#define PTRACE_DETACH 17
#define PTRACE_SEIZE 0x4206
#define PTRACE_INTERRUPT 0x4207
#define PTRACE_GETSIGMASK 0x420a
#define PTRACE_SETSIGMASK 0x420b
#define PTRACE_EVENT_STOP 128

struct tracer {
  long pid, starter;
  u32 may_begin, has_ended;
  u64 mask; /* the caller's, which has all signals blocked until the end */
  u8 *stack;
  u64 stack_bytes;
};

/* With descriptors of its own, copies of the process's, it can open files where the process has as
 * many as it may: it closes one first. */
enum tracer_files { TRACER_SHARES_FILES, TRACER_COPIES_FILES };

/* Starts `work` in a tracer with a stack of that size. Returns 0 when there is none, with nothing
 * changed. */
int tracer_start(struct tracer *tracer, void (*work)(void), u64 stack_bytes,
                 enum tracer_files files);
/* For the work's first line: before, it may not trace where Yama asks for a permit. */
void tracer_await_permit(const struct tracer *tracer);
/* For the work: whether the process has ended, or has executed another program. */
int tracer_is_left(const struct tracer *tracer);
/* For the starter: whether the work is done. Never waits. */
int tracer_has_ended(struct tracer *tracer);
/* Waits for the work's end and gives everything back. */
void tracer_end(struct tracer *tracer);

/* Stops a thread at once. Returns 0 or the kernel's refusal. */
long tracer_interrupt(u32 tid);
/* The status in which a thread that was interrupted stopped, 0 while it did not, negative once it
 * is gone. */
int tracer_stopped(u32 tid);

#endif
