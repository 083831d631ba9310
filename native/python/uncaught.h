/* An exception that nothing caught: it ends the program, its thread or its task. */
#ifndef STROBE_PYTHON_UNCAUGHT_H
#define STROBE_PYTHON_UNCAUGHT_H

#include "moment.h"

/* Tells the daemon of it. `arguments`: those of the audit event sys.excepthook: hook, class, value,
 * traceback. */
void uncaught_audited(object *arguments);

/* Of other threads, and of tasks, the interpreter has no event for that: `threading` and `asyncio`
 * have code that is run then. Notices it among code that is run first. */
void uncaught_look(const object *code);
/* Whether it is that code. */
int uncaught_is_told_by(const object *code);
/* It is run now. */
void uncaught_told(const struct frame *frame);

#endif
