/* Stopping threads by ptrace: no system call is interrupted. */
#ifndef STROBE_STOP_BY_TRACE_H
#define STROBE_STOP_BY_TRACE_H

#include "stopWork.h"

/* As stop_threads; two seconds a try. */
int stop_by_trace(const struct stop_work *work);

#endif
