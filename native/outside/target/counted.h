/* Calls that are counted and timed in place of being recorded: while the reader is behind, or
 * because that was asked for. */
#ifndef STROBE_OUTSIDE_COUNTED_H
#define STROBE_OUTSIDE_COUNTED_H

#include "area.h"

/* At a call's entry: whether it leaves no records. `place` as records have it. */
int counted_enters(u8 *slot, u32 fn, u64 place);
/* This one leaves none because of a policy; `is_counted`: it counts as one that was passed over. */
void counted_pass(u8 *slot, u32 fn, u64 place, int is_counted);
/* Of one in so many: whether this one leaves records. */
int counted_is_due(u8 *slot, u32 fn, u32 every);
/* At a statement, while the reader is behind: whether the hit leaves no record. */
int counted_passes_hit(u8 *slot, u32 fn);
/* A hit that leaves none; `is_over`: it did not meet what is asked of it. */
void counted_hit(u8 *slot, u32 fn, int is_over);
/* One that waited from `began` on and leaves none. */
void counted_whole(u8 *slot, u32 fn, u64 began);
/* At its end: whether its entry was passed over. */
int counted_leaves(u8 *slot, u32 fn, u64 place);

/* By function, WAY_…. */
extern u8 outside_ways[RECORD_MAX_FUNCTIONS] __attribute__((visibility("hidden")));
/* Which row of each slot's table is a function's; 0: none. */
extern u16 outside_rows[RECORD_MAX_FUNCTIONS] __attribute__((visibility("hidden")));

#endif
