/* Samples of watches: what expressions mean where calls begin and return. Needs the interpreter
 * lock. */
#ifndef STROBE_PYTHON_WATCHES_H
#define STROBE_PYTHON_WATCHES_H

#include "functions.h"
#include "moment.h"

/* Records those that are asked for at WATCH_AT_ENTER or WATCH_AT_RETURN: behind the enter, before
 * the return. */
void watches_sample(const struct function *function, u32 at, const struct moment *moment);

#endif
