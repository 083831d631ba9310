/* Entries that wait for the ends of their calls, and the records of those that do no longer. */
#ifndef STROBE_OUTSIDE_LATE_H
#define STROBE_OUTSIDE_LATE_H

#include "../../engine/raw.h"
#include "strand.h"

/* Whether a strand has entries that wait. */
int late_has(u64 key);
/* Before anything of a strand is recorded at a place: what waits there is, too. */
void late_write(u8 *slot, u64 key, u64 place);
/* Has a call wait, with what was captured at its entry. Returns 0: it cannot. */
int late_add(u8 *slot, u64 key, u32 fn, u64 place, const u64 *words, u32 count,
             const u64 *arguments, u32 argument_count);
/* The call that ends at a place, if its entry waits. */
const struct waiting *late_ending(u8 *slot, u64 key, u32 fn, u64 place);
/* That one is not recorded. */
void late_drop(u8 *slot, u64 key);

#endif
