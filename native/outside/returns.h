/* Where threads are, and where they go on when the handlers of signals that they are in return. */
#ifndef STROBE_OUTSIDE_RETURNS_H
#define STROBE_OUTSIDE_RETURNS_H

#include "../stopper/threads.h"

/* Whether a thread that is stopped is in code from `from` to `to`, or comes back to it so. */
int returns_into(const struct thread *thread, u64 from, u64 to);

#endif
