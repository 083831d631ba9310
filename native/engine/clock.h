/* The clocks of the kernel. */
#ifndef STROBE_CLOCK_H
#define STROBE_CLOCK_H

#include "types.h"

#define CLOCK_MONOTONIC 1
#define CLOCK_MONOTONIC_COARSE 6
#define SECOND 1000000000ul /* in ns */

/* In ns. */
u64 clock_read(u32 clock);

static inline u64 clock_now(void) { return clock_read(CLOCK_MONOTONIC); }

/* As of the last tick, some milliseconds ago: cheaper. */
static inline u64 clock_coarse(void) { return clock_read(CLOCK_MONOTONIC_COARSE); }

#endif
