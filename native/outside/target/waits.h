/* Which goroutines have calls that are recorded: of the others it is not recorded how they wait.
 * By the low bits of a goroutine's number: the place of its outermost call. One that stays there by
 * mistake (its call was left by a panic) costs records that the reader drops; none is missing by
 * mistake: once two goroutines with open calls have met in one row, no row is emptied any more. */
#ifndef STROBE_OUTSIDE_WAITS_H
#define STROBE_OUTSIDE_WAITS_H

#include "area.h"

/* `place` as records have it. */
void waits_entered(u64 place);
void waits_left(u64 place);
int waits_has_open(u64 place);
/* While the reader is behind, or the entry of the call waits itself, waits are summed up: whether
 * this one is, which began now. */
int waits_passes_over(const u8 *slot, u64 place, int has_late);
/* Whether the one that ends now was. */
int waits_is_passed_over(u64 place);
/* What was summed up since the last time, in cycles. */
u64 waits_take(u64 place);

#endif
