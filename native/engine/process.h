/* What is true of this process. */
#ifndef STROBE_PROCESS_H
#define STROBE_PROCESS_H

#include "raw.h"
#include "types.h"

#define KCMP_VM 1

extern u32 engine_pid;
/* The program forbids itself system calls, so a thread that has no slot yet gets none (guard.c). */
extern u32 engine_sandboxed;

/* Whether another process is known to have memory of its own. */
static inline int process_is_apart(long pid) {
  return raw6(__NR_kcmp, raw0(__NR_getpid), pid, KCMP_VM, 0, 0, 0) > 0;
}

/* A forked child enters a mode in which the cycle counter faults: it records no more. */
void process_give_up(void);

#endif
