/* Calls from 3.12 on: sys.monitoring (PEP 669). Needs the interpreter lock. */
#ifndef STROBE_PYTHON_MONITOR_H
#define STROBE_PYTHON_MONITOR_H

/* Returns null, or why that cannot be: a FAILURE of table.h. */
const char *monitor_begin(void);
/* What is wanted has changed. */
void monitor_apply(void);
void monitor_end(void);
/* How a thread is led has changed. */
void monitor_follow(void *thread);

#endif
