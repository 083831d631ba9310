/* See waits.h. A goroutine runs on one thread at a time, and writes its own row alone. */
#include "waits.h"
#include "../../engine/raw.h"

/* Of a thread's ring: what waits to be read where waits must not take room from calls. */
#define BEHIND 8

struct row {
  u64 place; /* of the outermost open call; 0: there is none */
  u64 began, missed, unused;
};
_Static_assert(sizeof(struct row) == 1 << WAIT_ROW_SHIFT, "as entry.S has it");

/* entry.S takes the low 16 bits of a number. */
struct row outside_open[1 << 16] __attribute__((visibility("hidden")));
static u8 have_met;

static struct row *row_of(u64 place) { return &outside_open[(u16)(place >> FRAME_BITS)]; }

static int is_of(const struct row *row, u64 place) {
  return row->place >> FRAME_BITS == place >> FRAME_BITS;
}

void waits_entered(u64 place) {
  struct row *row = row_of(place);
  if (is_of(row, place)) {
    if (row->place < place) row->place = place;
    return;
  }
  if (row->place && !have_met) have_met = 1;
  *row = (struct row){.place = place};
}

void waits_left(u64 place) {
  struct row *row = row_of(place);
  if (row->place == place && !have_met) row->place = 0;
}

int waits_has_open(u64 place) { return have_met || is_of(row_of(place), place); }

int waits_passes_over(const u8 *slot, u64 place, int has_late) {
  struct row *row = row_of(place);
  u64 unread = *(u64 *)(slot + SLOT_POSITION) - *(volatile u64 *)(slot + SLOT_CONSUMED);
  u64 room = *(u32 *)(slot + SLOT_RING_MASK) + 1ul;
  if (!has_late && unread < room / BEHIND) return 0;
  if (!is_of(row, place)) return has_late;
  row->began = timestamp();
  return 1;
}

int waits_is_passed_over(u64 place) {
  struct row *row = row_of(place);
  if (!is_of(row, place) || !row->began) return 0;
  row->missed += timestamp() - row->began;
  row->began = 0;
  return 1;
}

u64 waits_take(u64 place) {
  struct row *row = row_of(place);
  if (!row->missed || !is_of(row, place)) return 0;
  u64 cycles = row->missed;
  row->missed = 0;
  return cycles;
}
