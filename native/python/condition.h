/* Conditions on the arguments of a call (src/protocol/pythonTracer.ts), decided without running any
 * code of the program. */
#ifndef STROBE_PYTHON_CONDITION_H
#define STROBE_PYTHON_CONDITION_H

#include "functions.h"

/* Whether it is met, or cannot be known. An argument that is not set is null. */
int condition_is_met(const struct code_text *code, object *const *arguments, u32 count);

#endif
