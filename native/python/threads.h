/* The threads of the interpreter. Needs the interpreter lock. */
#ifndef STROBE_PYTHON_THREADS_H
#define STROBE_PYTHON_THREADS_H

#include "api.h"

void *threads_first(void);
void *threads_next(void *thread);
int threads_is_there(const void *thread);
/* The number that the system has of it; 0: it is not known. */
u32 threads_tid(void *thread);

#endif
