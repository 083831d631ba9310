/* Which asyncio task runs. Needs the interpreter lock. */
#ifndef STROBE_PYTHON_TASKS_H
#define STROBE_PYTHON_TASKS_H

#include "api.h"

/* To be called before what happens in a call is recorded: tells of the task that runs on this
 * thread when that is another than it was. `is_new`: a coroutine begins, maybe that of a new task.
 */
void tasks_tell(int is_new);

/* Whether there are such things: asyncio or greenlets were imported. */
int tasks_can_run(void);

#endif
