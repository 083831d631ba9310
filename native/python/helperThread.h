/* Threads of the tracer's own. */
#ifndef STROBE_PYTHON_HELPER_THREAD_H
#define STROBE_PYTHON_HELPER_THREAD_H

/* Starts a thread that takes no signal of the program's and that is not waited for. Returns whether
 * it was. */
int helper_thread_start(void *(*work)(void *), void *given);

#endif
