/* An exception that nothing caught: the interpreter is about to show it and to end. */
#ifndef STROBE_PYTHON_UNCAUGHT_H
#define STROBE_PYTHON_UNCAUGHT_H

#include "api.h"

/* Tells the daemon of it. `arguments`: those of the audit event sys.excepthook: hook, class, value,
 * traceback. */
void uncaught_note(object *arguments);

#endif
