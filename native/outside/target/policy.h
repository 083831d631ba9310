/* Which calls are recorded, as was asked for. */
#ifndef STROBE_OUTSIDE_POLICY_H
#define STROBE_OUTSIDE_POLICY_H

#include "../../engine/raw.h"
#include "counted.h"

enum verdict { POLICY_RECORDS, POLICY_WAITS, POLICY_PASSES, POLICY_IS_OFF };

extern u32 outside_is_off __attribute__((visibility("hidden")));

/* Whether a call's entry is nothing but recorded, which most are. */
static inline int policy_is_usual(u32 fn) {
  return !((fn < RECORD_MAX_FUNCTIONS ? outside_ways[fn] & WAY_HAS_POLICY : 0) | outside_is_off);
}

/* At an entry that is not usual. `sp`: what a condition's stack words count from. */
enum verdict policy_enters(u8 *slot, u32 fn, u64 key, u64 place, const struct registers *r, u64 sp);
/* At the end of a call whose entry waits: whether it is recorded. `r` null: without a result. */
int policy_keeps(u32 fn, u64 took, const struct registers *r, u64 sp);
/* An entry that waited is recorded after all. */
void policy_took(u32 fn);

#endif
