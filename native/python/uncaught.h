/* An exception that nothing caught: it ends the program, or its thread. */
#ifndef STROBE_PYTHON_UNCAUGHT_H
#define STROBE_PYTHON_UNCAUGHT_H

#include "api.h"

/* Tells the daemon of it. */
void uncaught_note(object *type, object *value, object *traceback);
/* The same. `arguments`: those of the audit event sys.excepthook: hook, class, value, traceback. */
void uncaught_audited(object *arguments);

/* The code that `threading` runs when nothing in a thread caught an exception; null: not met yet.
 * The interpreter has no event for that. */
extern const object *uncaught_in_threads;
/* Notices it among code that is run first. */
void uncaught_look(const object *code);
/* It is run now, with the exception being handled. */
void uncaught_handled(void);

#endif
