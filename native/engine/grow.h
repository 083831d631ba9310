/* Rings that grow, see grow.c. */
#ifndef STROBE_GROW_H
#define STROBE_GROW_H

#include "types.h"

/* A thread begins in the slot, with its first ring; signals are blocked. */
void grow_begin(u8 *slot, int is_fresh);
/* To be called now and then by the thread that writes the slot. */
void grow_check(u8 *slot);
/* How many bytes the slot's thread can write before it writes over what is not stored. */
u64 grow_room(u8 *slot);
/* Nobody writes the slot, and signals are blocked: gives back what its larger rings took, a part at
 * a time. */
void grow_leave(u8 *slot);

#endif
