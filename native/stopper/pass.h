/* Passing an int3 that stays where it is: other threads meet it meanwhile. */
#ifndef STROBE_STOPPER_PASS_H
#define STROBE_STOPPER_PASS_H

#include "threads.h"

/* PASSED: the thread stands behind the instruction, or at an island that leads there. THROUGH: it
 * stands before a copy of it, which leads behind it. IN_PLACE: it has to run where it is. */
enum pass { PASS_PASSED, PASS_THROUGH, PASS_IN_PLACE };

enum pass pass(struct thread *thread);
/* The thread has stopped: it stands nowhere in a copy any more. */
void pass_end(struct thread *thread);

#endif
