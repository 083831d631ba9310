/* Debug registers of threads, set by the kernel while they run: which of them wrote or read a place
 * is a signal of its own. */
#ifndef STROBE_STOPPER_DATA_H
#define STROBE_STOPPER_DATA_H

#include "../engine/types.h"
#include <signal.h>
#include <sys/types.h>

enum touch { TOUCH_NONE, TOUCH_WRITTEN, TOUCH_ACCESSED };

/* Watches bytes at an address in all threads there are, under the number of their place. Returns 0
 * or an error number. */
int data_watch(u32 number, u64 address, u32 bytes, enum touch touch);
void data_leave(u32 number);
/* A thread has begun, and stands. */
void data_begin(pid_t tid);
void data_end(pid_t tid);
void data_leave_all(void);
/* The number of the place that a signal tells of; 0: it tells of none. */
u32 data_told(const siginfo_t *why);

#endif
