/* Signals of the program in threads that are not the program's, see noSignals.c. */
#ifndef STROBE_NO_SIGNALS_H
#define STROBE_NO_SIGNALS_H

#include "types.h"

/* Blocks every signal but faults in these threads; those of the C libraries stay as they are.
 * Returns in how many it could not (a debugger holds them). One caller at a time. */
u32 threads_take_no_signals(const u32 *tids, u32 count);

#endif
