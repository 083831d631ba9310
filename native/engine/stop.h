/* Stopping the other threads of the process while code is written. */
#ifndef STROBE_STOP_H
#define STROBE_STOP_H

#include "raw.h"

struct stopped {
  u32 threads;
};

/* Parks every other thread that is running user code; a thread that waits in a system call is
 * left there. `move`, called on each parked thread's own stack when it goes on, maps its program
 * counter. Waits two seconds at most. Returns how many threads were parked. One caller at a time. */
u32 stop_threads(u64 (*move)(u64 pc));
void resume_threads(void);

#endif
