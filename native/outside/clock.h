/* The cycle counter, compared with CLOCK_MONOTONIC. */
#ifndef STROBE_OUTSIDE_CLOCK_H
#define STROBE_OUTSIDE_CLOCK_H

#include "../engine/types.h"

/* From now on they are compared. */
void clock_begin(void);
/* Nanoseconds since then: the more, the better is known how fast the counter counts. */
u64 clock_passed(void);
/* What it counts in a second. */
u64 clock_rate(void);
/* The nanoseconds of CLOCK_MONOTONIC at a count. */
u64 clock_time(u64 cycles);

#endif
