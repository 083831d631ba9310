/* How soon this process gets a processor that others want as well. */
#ifndef STROBE_SOON_H
#define STROBE_SOON_H

/* Comes before whatever computes: in real time where that is allowed (SCHED_FIFO, the lowest
 * priority), else in the shortest slices there are (0.1 ms, sched_setattr(2); since Linux 6.12),
 * which give no larger share than before. Its children are scheduled as usual. A policy other than
 * the usual one is left as it is. */
void come_soon(void);

#endif
