/* The threads of the process, and which of them run, as /proc says. */
#ifndef STROBE_TASKS_H
#define STROBE_TASKS_H

#include "types.h"

/* Calls `visit` for each thread of the process. */
void tasks_each(void (*visit)(u32 tid, void *argument), void *argument);
/* Calls `visit` for each entry of an open folder that is called by a number. */
void tasks_each_number(long directory, void (*visit)(u32 number, void *argument), void *argument);
/* Whether the thread runs user code, or stands, waiting for memory, where it is to be moved. */
int task_must_stop(u32 tid, u64 (*move)(u64 pc));
/* The stack pointer of a thread that waits in a system call; 0 when it does not. */
u64 task_waiting_at(u32 tid);

#endif
