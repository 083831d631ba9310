/* What stops the threads of the process, and what is told of it. */
#ifndef STROBE_STOPPER_STOPS_H
#define STROBE_STOPPER_STOPS_H

#include "threads.h"

/* `is_early`: its threads are seized later. */
void stops_begin(pid_t pid, int is_early);
/* Seizes them: see threads_seize. */
int stops_seize(void);
/* Takes all that happened. Returns whether the process, or a fork with int3s, is still there. */
int stops_take(void);
/* Whether a thread met what is recorded by a trap a moment ago, so that another may: to sleep until
 * then would cost more than the hit. */
int stops_come_soon(void);
void stops_resume(struct thread *thread);
/* Asks a thread to stop where it is. */
void stops_interrupt(struct thread *thread);
/* Whether a type that is thrown is wanted at a place: threads that wait there for that go on. */
void stops_answer(u32 number, u64 type, int is_wanted);
/* Takes all int3s out and lets all threads run on without us. */
void stops_leave(void);

#endif
