/* The other threads of a dying process. */
#ifndef STROBE_CRASH_THREADS_H
#define STROBE_CRASH_THREADS_H

#include "cpu.h"

#define CRASH_MAX_THREADS 512
#define CRASH_NAME_BYTES 32u

/* Stops all other threads; `see` is called for each. Answers how many there were
 * that could not be looked at. */
struct crash_thread {
  u32 tid;
  u32 is_known;
  u8 name[CRASH_NAME_BYTES];
  u32 name_length;
  u64 registers[CPU_REGISTERS];
};
u32 crash_each_thread(u32 self, void (*see)(struct crash_thread *thread));

/* How much of what the kernel says is the name. */
u32 crash_name_length(const u8 *text, u32 most);

#endif
