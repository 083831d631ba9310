/* Calls of which nothing is asked but their values, where each of those fits a word: what makes a
 * function hot mostly is such a call. */
#ifndef STROBE_PYTHON_PLAIN_H
#define STROBE_PYTHON_PLAIN_H

#include "codes.h"
#include "moment.h"

/* Each returns whether the call is one of those, and is done with then. */
int plain_enter(const struct code *code, const struct frame *frame);
int plain_return(const struct function *function, const struct frame *frame, object *value);

#endif
