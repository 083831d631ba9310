/* What is left of a process that dies by a signal: registers, stacks and what they point to,
 * written into the crash file (src/protocol/crashFile.ts) by the thread that dies. */
#ifndef STROBE_CRASH_H
#define STROBE_CRASH_H

#include "raw.h"

#define CRASH_MAX_THREADS 512

/* Creates and maps the file beside the ring file. Without it (no room, no permission) a crash is
 * as without us. */
void crash_open(const char *ring_path);
/* Nobody reads it any more. */
void crash_close(void);

/* From the signal's handler, when the program leaves the signal to its default action: that is,
 * when it is about to die. Returns when the file is written, or after a few seconds. */
void crash_write(int number, const void *information, const void *context);

/* As sigaltstack(2) has it. */
struct signal_stack {
  u64 base;
  int flags;
  u64 bytes;
};
#define STACK_IN_USE 1
#define STACK_DISABLED 2
/* A stack for signals, for a thread that has none: an overflow of its own leaves no room for a
 * handler. `crash_thread_ended` gives it back. */
void crash_thread_began(void);
void crash_thread_ended(void);
/* The lowest address of a stack of HANDLER_STACK_BYTES of this thread for handlers, or 0. */
#define HANDLER_STACK_BYTES 0x100000ul
u64 crash_handler_stack(void);
/* Whether a stack pointer of this thread lies there. */
int crash_is_on_handler_stack(u64 sp);

/* A thread's name; answers its length. */
#define CRASH_NAME_BYTES 32u
u32 crash_thread_name(u32 tid, u8 *name);

/* crashThreads.c: stops all other threads; `see` is called for each. Answers how many there were
 * that could not be looked at. */
struct crash_thread {
  u32 tid;
  u32 is_known;
  u8 name[CRASH_NAME_BYTES];
  u32 name_length;
  u64 registers[CPU_REGISTERS];
};
u32 crash_each_thread(u32 self, void (*see)(struct crash_thread *thread));

#endif
