/* How a thread that stands still is spoken to: it asks the daemon what to do, over a connection of
 * its own, and runs on when that ends. Without the interpreter lock. */
#ifndef STROBE_PYTHON_HOLD_H
#define STROBE_PYTHON_HOLD_H

#include "api.h"

/* The socket of the daemon. */
void hold_begin(const char *path);
/* A connection; -1: there is none. */
int hold_open(void);
/* Returns whether the daemon is there. */
int hold_say(int connection, const char *text, size_t length);
/* Waits for a request, to be freed; null: the daemon is gone, or lets the thread go. */
u8 *hold_next(int connection, u32 *length);

#endif
