/* What is true of this process. */
#ifndef STROBE_PROCESS_H
#define STROBE_PROCESS_H

#include "types.h"

extern u32 engine_pid;
/* The program forbids itself system calls, so a thread that has no slot yet gets none (guard.c). */
extern u32 engine_sandboxed;

/* A forked child enters a mode in which the cycle counter faults: it records no more. */
void process_give_up(void);

#endif
