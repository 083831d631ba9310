/* Running the instruction under an int3 that stays where it is: other threads meet it meanwhile. */
#ifndef STROBE_STOPPER_PASS_H
#define STROBE_STOPPER_PASS_H

#include "threads.h"

/* DONE: the thread stands behind it. IN_PLACE: it has to run where it is. SIGNALLED: it did not
 * run, `signal` of the thread came of it. ENDED: `status` is what waitpid said. */
enum passed { PASS_DONE, PASS_IN_PLACE, PASS_SIGNALLED, PASS_ENDED };

/* Code of the program that runs once, at its start, can hold a copy. */
void pass_prepare(pid_t pid);
enum passed pass(struct thread *thread, int *status);

#endif
