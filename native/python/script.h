/* A text of Python that runs in the program: by it a debugger comes that lives there. */
#ifndef STROBE_PYTHON_SCRIPT_H
#define STROBE_PYTHON_SCRIPT_H

/* Has a thread of its own run a copy of it, as its imports take long. What it came to is said as
 * a note. 0: there is no thread or memory for that. */
int script_start(const char *text);

#endif
