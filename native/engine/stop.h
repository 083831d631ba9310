/* Stopping the other threads of the process while code is written. */
#ifndef STROBE_STOP_H
#define STROBE_STOP_H

#include "stopWork.h"

/* Runs the work with every other thread stopped that is running user code; a thread that waits in
 * a system call is left there. Returns how many were stopped; negative, with nothing done, when not
 * all of them could be within some seconds (they get no processor). One caller at a time. */
int stop_threads(const struct stop_work *work);

#endif
