/* Which goroutines have calls that are recorded: of the others it is not recorded how they wait.
 * By the low bits of a goroutine's number: the place of its outermost call. One that stays there by
 * mistake (its call was left by a panic) costs records that the reader drops; none is missing by
 * mistake: once two goroutines with open calls have met in one row, no row is emptied any more. */
#ifndef STROBE_OUTSIDE_WAITS_H
#define STROBE_OUTSIDE_WAITS_H

#include "../../engine/raw.h"
#include "area.h"

struct wait_row {
  u64 place; /* of the outermost open call; 0: there is none */
  u64 began, missed, unused;
};
_Static_assert(sizeof(struct wait_row) == 1 << WAIT_ROW_SHIFT, "as entry.S has it");

/* entry.S takes the low 16 bits of a number. */
extern struct wait_row outside_open[1 << 16] __attribute__((visibility("hidden")));
/* Whether two goroutines have met in one row. */
extern u8 waits_have_met __attribute__((visibility("hidden")));

static inline struct wait_row *wait_row_of(u64 place) {
  return &outside_open[(u16)(place >> FRAME_BITS)];
}

static inline int wait_row_is_of(const struct wait_row *row, u64 place) {
  return row->place >> FRAME_BITS == place >> FRAME_BITS;
}

void waits_begin(struct wait_row *row, u64 place);

/* `place` as records have it. */
static inline void waits_entered(u64 place) {
  struct wait_row *row = wait_row_of(place);
  if (!wait_row_is_of(row, place)) waits_begin(row, place);
  else if (row->place < place) row->place = place;
}

static inline void waits_left(u64 place) {
  struct wait_row *row = wait_row_of(place);
  if (row->place == place && !waits_have_met) row->place = 0;
}

int waits_has_open(u64 place);
/* While the reader is behind, or the entry of the call waits itself, waits are summed up: whether
 * this one is, which began now. */
int waits_passes_over(const u8 *slot, u64 place, int has_late);
/* Whether the one that ends now was. */
int waits_is_passed_over(u64 place);
/* What was summed up since the last time, in cycles. */
static inline u64 waits_take(u64 place) {
  struct wait_row *row = wait_row_of(place);
  if (__builtin_expect(!row->missed, 1) || !wait_row_is_of(row, place)) return 0;
  u64 cycles = row->missed;
  row->missed = 0;
  return cycles;
}

#endif
