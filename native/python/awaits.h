/* Tasks of asyncio that are suspended, and the coroutines that each is in. Needs the interpreter
 * lock; no code of the program runs. */
#ifndef STROBE_PYTHON_AWAITS_H
#define STROBE_PYTHON_AWAITS_H

#include "api.h"

/* A coroutine that a task was made of, both by their addresses: only compared until both are known
 * to live. Null: it has ended, or another lies there by now. */
object *awaits_coroutine(u64 task, u64 coroutine);
/* The frame of the newest call in it: it awaits nothing that has a frame. */
object *awaits_newest(object *coroutine);
/* The frame that awaits that one; null: it is the coroutine's own. */
object *awaits_back(object *coroutine, const object *frame);

#endif
