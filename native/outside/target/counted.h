/* Calls that are counted and timed in place of being recorded, while the reader is behind. */
#ifndef STROBE_OUTSIDE_COUNTED_H
#define STROBE_OUTSIDE_COUNTED_H

#include "area.h"

/* At a call's entry: whether it leaves no records. `place` as records have it. */
int counted_enters(u8 *slot, u32 fn, u64 place);
/* At its end: whether its entry was passed over. */
int counted_leaves(u8 *slot, u32 fn, u64 place);

#endif
