/* Asks the rewriting service of the daemon. Blocks its thread, as loading a module does. */
#ifndef STROBE_NODE_ASK_H
#define STROBE_NODE_ASK_H

#include "engine.h"

/* Sends a request and waits for the answer to it. Returns null where there is none in time; the
 * caller frees it. */
char *ask(const char *request, u32 bytes, u32 *answer_bytes);

#endif
