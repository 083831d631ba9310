/* Lines of code objects. Needs the interpreter lock. */
#ifndef STROBE_PYTHON_LINES_H
#define STROBE_PYTHON_LINES_H

#include "api.h"

/* Whether it has instructions in this line. Up to 3.9 it does not say. */
int lines_has(object *code, u32 line);

#endif
