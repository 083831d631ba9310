/* Has threads of JavaScript stand still: one that runs is interrupted, one that waits in its event
 * loop is woken. */
#ifndef STROBE_NODE_PAUSES_H
#define STROBE_NODE_PAUSES_H

#include "engine.h"

#include <node_api.h>

/* The thread that loads the preload can be paused from now on, until its end. */
void pauses_begin(napi_env env);
/* See pauses.c. */
u32 node_pause(u32 tid, u32 *tids, u32 most);

#endif
