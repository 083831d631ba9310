/* See waits.h. A goroutine runs on one thread at a time, and writes its own row alone. */
#include "waits.h"
#include "../../engine/raw.h"

/* Of a thread's ring: what waits to be read where waits must not take room from calls. */
#define BEHIND 8

struct wait_row outside_open[1 << 16];
u8 waits_have_met;

void waits_begin(struct wait_row *row, u64 place) {
  if (row->place && !waits_have_met) waits_have_met = 1;
  *row = (struct wait_row){.place = place};
}

int waits_has_open(u64 place) {
  return waits_have_met || wait_row_is_of(wait_row_of(place), place);
}

int waits_passes_over(const u8 *slot, u64 place, int has_late) {
  struct wait_row *row = wait_row_of(place);
  u64 unread = *(u64 *)(slot + SLOT_POSITION) - *(volatile u64 *)(slot + SLOT_CONSUMED);
  if (!has_late && unread < outside_settings.ring_bytes / BEHIND) return 0;
  if (!wait_row_is_of(row, place)) return has_late;
  row->began = timestamp();
  return 1;
}

int waits_is_passed_over(u64 place) {
  struct wait_row *row = wait_row_of(place);
  if (!wait_row_is_of(row, place) || !row->began) return 0;
  row->missed += timestamp() - row->began;
  row->began = 0;
  return 1;
}
