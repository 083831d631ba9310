/* Code of the language that the daemon has a thread run in one of its frames, as the program would.
 * Needs the interpreter lock. */
#ifndef STROBE_PYTHON_RUNS_H
#define STROBE_PYTHON_RUNS_H

#include "line.h"
#include "moment.h"

/* Runs an expression or statements; variables of the frame that they set are set. Adds RUN_VALUE
 * with the bytes of what an expression came to, RUN_DONE after statements with the names that the
 * frame has no variable for, or RUN_RAISED with class and message of an exception. */
void runs_text(const char *text, const struct frame *frame, struct line *line);

#endif
