/* What is said over sockets of the daemon. The thread blocks, as loading a module does. */
#ifndef STROBE_NODE_ASK_H
#define STROBE_NODE_ASK_H

#include "engine.h"

#include <stddef.h>

/* A connection whose number the program's own files do not come to, where its limit has such.
 * Returns -1 where nobody listens. Each wait for it ends after `patience_s`. */
int connect_to(const char *path, int patience_s);
int receive_all(int connection, void *to, size_t bytes);
/* u32 bytes, then they. */
int send_frame(int connection, const char *from, u32 bytes);

/* Sends the rewriting service a request and waits for the answer to it. Returns null where there is
 * none in time; the caller frees it. */
char *ask(const char *request, u32 bytes, u32 *answer_bytes);

#endif
