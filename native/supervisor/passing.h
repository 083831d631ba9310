/* One message with at most one descriptor, over a socket that keeps messages apart (unix(7),
 * SCM_RIGHTS). */
#ifndef STROBE_PASSING_H
#define STROBE_PASSING_H

#include <stdbool.h>
#include <stddef.h>

/* `fd` below zero: none goes with it. Who is not there any more does not hear it. */
void pass_send(int line, const void *message, size_t bytes, int fd);

/* Whether a message of that size came; *fd is -1 when it brought none. `flags`: of recvmsg(2). */
bool pass_receive(int line, void *message, size_t bytes, int *fd, int flags);

#endif
