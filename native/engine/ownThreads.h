/* The instrumentation's own threads in the target, which record nothing. Some end after a while,
 * and the kernel gives their numbers to threads of the program: a thread is known by its number and
 * its beginning. */
#ifndef STROBE_OWN_THREADS_H
#define STROBE_OWN_THREADS_H

#include "types.h"

/* These, and no others, are ours from now on; returns how many of them are kept. */
u32 own_threads_set(const u32 *tids, u32 count);
/* Whether a thread of this number is ours. Where that cannot be told from its beginning, its number
 * decides. */
int thread_is_ignored(u32 tid);

#endif
