/* Entries that wait for the ends of their calls, and the records of those that do no longer. */
#ifndef STROBE_OUTSIDE_LATE_H
#define STROBE_OUTSIDE_LATE_H

#include "../../engine/raw.h"
#include "strand.h"

/* Where strands have such calls. */
void late_write_now(u8 *slot, u64 key, u64 place);
const struct waiting *late_ending_now(u8 *slot, u64 key, u32 fn, u64 place);

/* Whether a strand has entries that wait. */
int late_has(u64 key);
/* Before anything of a strand is recorded at a place: what waits there is, too. */
static inline void late_write(u8 *slot, u64 key, u64 place) {
  if (__builtin_expect(RELAXED(strand_has_any), 0)) late_write_now(slot, key, place);
}

/* Has a call wait, with what was captured at its entry. Returns 0: it cannot. */
int late_add(u8 *slot, u64 key, u32 fn, u64 place, const u64 *words, u32 count,
             const u64 *arguments, u32 argument_count);
/* The call that ends at a place, if its entry waits. */
static inline const struct waiting *late_ending(u8 *slot, u64 key, u32 fn, u64 place) {
  return __builtin_expect(RELAXED(strand_has_any), 0) ? late_ending_now(slot, key, fn, place) : 0;
}

/* That one is not recorded. */
void late_drop(u8 *slot, u64 key);

#endif
