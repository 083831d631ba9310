/* Where an exception is: the first code of the program that it comes to. Needs the interpreter
 * lock. */
#ifndef STROBE_PYTHON_RAISED_AT_H
#define STROBE_PYTHON_RAISED_AT_H

#include "moment.h"

/* Adds the keys of the wanted exceptions that one which comes to this frame means, parted by
 * blanks. `traceback`: its own up to here. */
void raised_at(const struct frame *frame, object *type, object *traceback, char *keys);

#endif
