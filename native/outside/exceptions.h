/* The exception file of a session, before a program writes into it (target/panics.c). */
#ifndef STROBE_OUTSIDE_EXCEPTIONS_H
#define STROBE_OUTSIDE_EXCEPTIONS_H

#include <sys/types.h>

/* Makes the file, unless another process of the session has, and writes down which code is where in
 * the program. Returns 0 or an error number. */
int exceptions_make(pid_t pid, const char *path);

#endif
