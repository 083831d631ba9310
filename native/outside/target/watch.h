/* Watches: what expressions mean while traced calls begin and end, and the invariants that are
 * asked where they end (watchEntry, probeEntry). */
#ifndef STROBE_OUTSIDE_WATCH_H
#define STROBE_OUTSIDE_WATCH_H

#include "../../engine/probeRow.h"
#include "../../engine/raw.h"
#include "area.h"

/* By function: its set of watches, plus 1; 0: it has none. */
extern u16 outside_watched[RECORD_MAX_FUNCTIONS] __attribute__((visibility("hidden")));

static inline int watch_has(u32 fn) {
  return fn < RECORD_MAX_FUNCTIONS && RELAXED(outside_watched[fn]);
}

/* Whether anything is asked at WATCH_AT_… of a function that has watches. */
int watch_asks(u32 fn, u32 at);
/* Samples what is asked there; `place`: of the call, as records have it. */
void watch_look(u8 *slot, u32 fn, u32 at, const struct probe_place *where, u64 place);
/* The next invariant that is asked there, from `*next` on; null: that was all. */
struct probe *watch_check(u32 fn, u32 at, u32 *next);

#endif
