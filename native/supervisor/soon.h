/* How soon this process gets a processor that others want as well. */
#ifndef STROBE_SOON_H
#define STROBE_SOON_H

#include <stdbool.h>

/* Comes before whatever computes: in real time where that is allowed (SCHED_FIFO, the lowest
 * priority), else in the shortest slices there are (0.1 ms, sched_setattr(2); since Linux 6.12),
 * which give no larger share than before. Its children are scheduled as usual. A policy other than
 * the usual one is left as it is. */
void come_soon(void);
/* Until come_soon it competes as any other does. Returns whether it came in real time before. For
 * what may wait in the kernel for another task, and does so by spinning: in real time that task
 * would not get its processor. */
bool come_as_usual(void);

#endif
