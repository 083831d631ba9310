/* What a promise has come to, as V8 itself knows it: Node-API does not say. */
#ifndef STROBE_NODE_PROMISES_H
#define STROBE_NODE_PROMISES_H

#include <node_api.h>

#include "engine.h"

enum { PROMISE_UNKNOWN, PROMISE_PENDING, PROMISE_FULFILLED, PROMISE_REJECTED };

/* `result`: what it was settled with, once it is. Runs no code of the program. */
u32 promise_look(napi_value promise, napi_value *result);

#endif
