/* mlockall(2) of the program's memory alone. */
#ifndef STROBE_LOCK_ALL_H
#define STROBE_LOCK_ALL_H

#include "types.h"

typedef long (*libc_syscall)(long, long, long, long, long, long, long);

/* Does what the call would do without us, by libc's `syscall`, which sets errno. `is_partly`: what
 * the program will map is not locked, as we could map no more then. */
long lock_all(long flags, libc_syscall call, int *is_partly);

#endif
