/* Whether the program has entered a sandbox of its own since we came: a filter of system calls may
 * end it for one that tracing makes in its name. */
#ifndef STROBE_OUTSIDE_SANDBOX_H
#define STROBE_OUTSIDE_SANDBOX_H

#include <sys/types.h>

/* What is answered then, in the place of an error number. */
#define SANDBOX_ENTERED 1000

/* Remembers the filters that are there, which are known to let tracing in. */
void sandbox_begin(pid_t pid);
/* Any of its threads counts; exact while they are stopped. */
int sandbox_is_new(void);

#endif
