/* Calls that are counted and timed in place of being recorded: while the reader is behind, or
 * because that was asked for. */
#ifndef STROBE_OUTSIDE_COUNTED_H
#define STROBE_OUTSIDE_COUNTED_H

#include "../../engine/raw.h"
#include "area.h"

/* While more of a thread's ring than one part in this many waits to be read. */
#define COUNTED_BEHIND 2

/* Whether any call was passed over. */
extern u32 counted_has_passed __attribute__((visibility("hidden")));

/* Bytes that wait to be read, of how many there are. */
static inline u64 counted_unread(const u8 *slot) {
  return *(const u64 *)(slot + SLOT_POSITION) - *(const volatile u64 *)(slot + SLOT_CONSUMED);
}

static inline u64 counted_room(void) { return outside_settings.ring_bytes; }

static inline int counted_is_behind(const u8 *slot) {
  return __builtin_expect(counted_unread(slot) > counted_room() / COUNTED_BEHIND, 0);
}

int counted_enters_late(u8 *slot, u32 fn, u64 place);
int counted_leaves_passed(u8 *slot, u32 fn, u64 place);

/* At a call's entry: whether it leaves no records. `place` as records have it. */
static inline int counted_enters(u8 *slot, u32 fn, u64 place) {
  return (counted_is_behind(slot) || counted_has_passed) && counted_enters_late(slot, fn, place);
}

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
static inline int counted_leaves(u8 *slot, u32 fn, u64 place) {
  return counted_has_passed && counted_leaves_passed(slot, fn, place);
}

/* By function, WAY_…. */
extern u8 outside_ways[RECORD_MAX_FUNCTIONS] __attribute__((visibility("hidden")));
/* Which row of each slot's table is a function's; 0: none. */
extern u16 outside_rows[RECORD_MAX_FUNCTIONS] __attribute__((visibility("hidden")));

#endif
