/* What recording asks of the system, and what of that the program forbids by a filter that it sets
 * (seccomp): raw_asks (raw.h) does without these calls from before the filter is there. A filter
 * concerns a thread, and those that it makes; here it concerns all. */
#ifndef STROBE_OUTSIDE_FORBID_H
#define STROBE_OUTSIDE_FORBID_H

#include "area.h"

/* The numbers of the calls, by bit of what is forbidden. */
extern const u16 forbid_numbers[] __attribute__((visibility("hidden")));
u32 forbid_count(void);
int forbid_has(long number);
/* From now on these are not made, and for `is_of_all`, none is about to be made when this returns.
 * `area`: of the thread that asks, or null. */
void forbid(const struct area *area, u32 calls, int is_of_all);
/* Nothing is recorded from now on. */
void forbid_all(void);

#endif
