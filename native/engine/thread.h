/* Ring slots and the threads that own them. */
#ifndef STROBE_THREAD_H
#define STROBE_THREAD_H

#include "types.h"

/* The slot of this thread, claimed now if it can be; else counts a lost event and answers null. */
u8 *thread_claim(void);
/* First thing in a thread. */
void thread_began(void);
int thread_start(int (*key_create)(u32 *, void (*)(void *)),
                 int (*set_specific)(u32, const void *));

#endif
