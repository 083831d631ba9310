/* What open calls were passed, for what is asked where they end. */
#ifndef STROBE_OUTSIDE_BEGUN_H
#define STROBE_OUTSIDE_BEGUN_H

#include "area.h"

/* Integer registers at a call's entry, and the bounds of the stack that it runs on; 0, 0: it does
 * not move. */
struct begun {
  u64 stack_low, stack_high;
  u64 arguments[AREA_INTEGERS];
};

/* Keeps that of the call at a place (as records have it) until it is taken. */
void begun_keep(u64 place, u32 fn, const struct begun *call);
/* Gives back what was kept. Pointers into a stack that was copied since then lead into the copy,
 * whose end is `stack_high`. Returns 0: nothing was kept. */
int begun_take(u64 place, u32 fn, u64 stack_high, u64 *arguments);

#endif
