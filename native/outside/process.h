/* The process that is traced, from outside: its threads stopped all at once, and calls of the
 * system made in its name. */
#ifndef STROBE_OUTSIDE_PROCESS_H
#define STROBE_OUTSIDE_PROCESS_H

#include "../stopper/threads.h"

/* Stops every thread. Returns 0 or an error number; then none is stopped by us. */
int process_stop(pid_t pid);
/* Lets all run on, with the signals that came meanwhile. */
void process_go_on(void);
/* A call of the system by a stopped thread, by the syscall instruction at an address; negative: an
 * error number. */
long process_call(u64 instruction, long number, const u64 arguments[6]);

#endif
