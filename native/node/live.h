/* Runs JavaScript in a process that is running already, in its main thread, between two callbacks
 * of its event loop. Nothing listens, no signal is sent, and nothing is printed for that. */
#ifndef STROBE_NODE_LIVE_H
#define STROBE_NODE_LIVE_H

#include "engine.h"

/* Whether this Node lets itself be entered so. */
int live_find(void);

/* Has the main thread run a script, which must not throw and is copied, when its event loop comes
 * to it. Returns whether there is memory for it. Thread-safe. */
int live_run(const char *script);

/* How many scripts were handed in, and how many of them have been run. */
u32 live_asked(void);
u32 live_done(void);

#endif
