/* What an expression came to, as it is recorded. */
#ifndef STROBE_PYTHON_RESULTS_H
#define STROBE_PYTHON_RESULTS_H

#include "operands.h"
#include "values.h"

/* Adds it, in at most that number of words. Returns whether it came to a value. */
int result_capture(struct capture *capture, const struct operand *result, u32 most_words);

#endif
