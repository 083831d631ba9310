/* Has threads of JavaScript stand still: one that runs is interrupted, one that waits in its event
 * loop is woken. */
#ifndef STROBE_NODE_PAUSES_H
#define STROBE_NODE_PAUSES_H

#include <node_api.h>

/* The thread that loads the preload can be paused from now on, until its end. */
void pauses_begin(napi_env env);

#endif
