/* Expressions about a call (src/protocol/pythonTracer.ts): conditions, and what is watched. They
 * are worked out without running any code of the program. */
#ifndef STROBE_PYTHON_CONDITION_H
#define STROBE_PYTHON_CONDITION_H

#include "moment.h"
#include "operands.h"
#include "reader.h"

/* Whether it is met, or cannot be known; that the daemon learns once, and `has_said` is set then.
 * `of`: what it is asked of. */
int condition_is_met(const struct code_text *code, const struct moment *moment, const char *of,
                     u32 *has_said);
/* The same of a condition that was worked out. */
int condition_counts(enum truth truth, const char *of, u32 *has_said);
/* What it means. `holder`: the object that has it, or null. */
struct operand condition_value(const struct code_text *code, const struct moment *moment,
                               const object **holder);

#endif
