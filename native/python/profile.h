/* Calls and lines up to 3.11: the profile hook of each thread, and while there are breakpoints its
 * trace function. Needs the interpreter lock. */
#ifndef STROBE_PYTHON_PROFILE_H
#define STROBE_PYTHON_PROFILE_H

/* Returns null, or why that cannot be: a FAILURE of table.h. */
const char *profile_begin(void);
/* What is wanted has changed. */
void profile_apply(void);
void profile_end(void);
/* How a thread is led has changed. */
void profile_follow(void *thread);
/* The hook of a thread is about to be set: by the program, if we do not set it. */
void profile_is_set(void);
/* The same of its trace function. */
void profile_trace_is_set(void);

#endif
