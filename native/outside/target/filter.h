/* Filters of system calls (seccomp) that the program sets. */
#ifndef STROBE_OUTSIDE_FILTER_H
#define STROBE_OUTSIDE_FILTER_H

#include "area.h"

/* Before the program makes a system call by that number with these arguments, which may set a
 * filter or enter the strict mode: has recording do without what that forbids. `area`: of the
 * thread; null: there is none that is free, and whatever a filter may forbid counts as forbidden.
 */
void filter_comes(struct area *area, u64 number, u64 first, u64 second, u64 third);

#endif
