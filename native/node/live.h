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

/* The same for the thread of another event loop. */
int live_run_in(void *loop, const char *script);
/* That of the thread that runs. */
void *live_isolate(void);
/* Calls a function in the thread of an isolate, in the middle of JavaScript that it runs, or as it
 * runs some next. Thread-safe. */
void live_interrupt(void *isolate, void (*interrupted)(void *isolate, void *data));
/* Runs a script where the thread is now. */
void live_run_now(void *isolate, const char *script);

/* How many scripts were handed in, and how many of them have been run. */
u32 live_asked(void);
u32 live_done(void);

#endif
