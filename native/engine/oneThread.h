/* What the kernel does only for a process with one thread alone: user namespaces, and the like. */
#ifndef STROBE_ONE_THREAD_H
#define STROBE_ONE_THREAD_H

#include "types.h"

int one_thread_needed(long number, long flags);

/* Does it; the error as libc's system calls tell it. Where other threads forbid it, `leave` says
 * whether they are ours alone and about to end: they are waited for (10 s). Else it is asked again
 * for 50 ms, as one of ours that ends may be taken for the program's. */
long one_thread_call(long number, long a, long b, u32 (*leave)(void), int *errno_place);

#endif
