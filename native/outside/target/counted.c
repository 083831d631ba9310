/* See counted.h. What is recorded of a hot loop must not be overwritten before it is read: a call
 * then loses its entry or its end. So while more than half of a thread's ring waits to be read, of
 * a function that is called often one call in many is recorded; at the very end of the room none
 * is, as the calls that are open need it. Those that are passed over are remembered by their
 * places. */
#include "counted.h"
#include "../../engine/raw.h"

/* Of a thread's ring. */
#define BEHIND 2
#define NO_ROOM 8
/* About a tenth of a second; calls that each function may record in it before it is sampled. */
#define WINDOW_SHIFT 28
#define SHARE 64
#define EVERY 100
#define PASSED_BITS 13

struct passed {
  u64 place, began;
};

struct row {
  u32 fn, left;
  u64 calls, timed, total, least_inverted, most, last, recorded;
};
_Static_assert(sizeof(struct row) == COUNTED_BYTES, "the row is the contract's");

static struct passed passed[1 << PASSED_BITS];
static u32 has_passed;
/* Which row of each slot's table is a function's; 0: none. */
static u16 rows[RECORD_MAX_FUNCTIONS];

/* By function: whether all its calls are recorded, as was asked for. */
u8 outside_whole[RECORD_MAX_FUNCTIONS] __attribute__((visibility("hidden")));

static struct passed *passed_at(u64 place) {
  return &passed[place * 0x9e3779b97f4a7c15ul >> (64 - PASSED_BITS)];
}

static COLD u32 fresh_row(u32 fn) {
  u32 *used = (u32 *)(outside_settings.file + FILE_COUNTED_ROWS), none = 0;
  __atomic_compare_exchange_n(used, &none, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  u32 number = RELAXED(*used);
  do
    if (number >= COUNTED_COUNT) return 0;
  while (!__atomic_compare_exchange_n(used, &number, number + 1, 0, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED));
  u16 before = 0;
  __atomic_compare_exchange_n(&rows[fn], &before, (u16)number, 0, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
  return rows[fn];
}

/* Null: the table is full. */
static struct row *row_of(u8 *slot, u32 fn) {
  if (fn >= RECORD_MAX_FUNCTIONS) return 0;
  u32 number = RELAXED(rows[fn]) ? rows[fn] : fresh_row(fn);
  struct row *row = (struct row *)(slot + SLOT_COUNTED) + number;
  row->fn = fn;
  return number ? row : 0;
}

/* Whether the call is one of the many. `left` counts down to one that is recorded; above EVERY all
 * are. */
static int is_one_of_many(struct row *row, u64 now, u64 unread, u64 room) {
  u64 window = now >> WINDOW_SHIFT;
  if (unread > room - room / NO_ROOM) return 1;
  if (row->recorded != window) row->left = SHARE + EVERY;
  row->recorded = window;
  if (row->left-- > EVERY) return 0;
  if (row->left) return 1;
  row->left = EVERY;
  return 0;
}

static COLD int pass_over(u8 *slot, u32 fn, u64 place, u64 unread) {
  u64 room = (u64) * (u32 *)(slot + SLOT_RING_MASK) + 1;
  u64 now = timestamp();
  struct row *row = row_of(slot, fn);
  if (!row || outside_whole[fn] || !is_one_of_many(row, now, unread, room)) return 0;
  count_locally(&row->calls);
  *passed_at(place) = (struct passed){.place = place, .began = now};
  if (!has_passed) has_passed = 1;
  return 1;
}

int counted_enters(u8 *slot, u32 fn, u64 place) {
  u64 unread = *(u64 *)(slot + SLOT_POSITION) - *(volatile u64 *)(slot + SLOT_CONSUMED);
  u64 half = (*(u32 *)(slot + SLOT_RING_MASK) + 1ul) / BEHIND;
  if (__builtin_expect(unread > half, 0) && pass_over(slot, fn, place, unread)) return 1;
  /* One that a panic left stood there before. */
  if (has_passed && passed_at(place)->place == place) passed_at(place)->place = 0;
  return 0;
}

static COLD void count_end(u8 *slot, u32 fn, u64 began) {
  struct row *row = row_of(slot, fn);
  u64 now = timestamp(), took = now - began;
  if (!row) return;
  row->total += took;
  if (~took > row->least_inverted) row->least_inverted = ~took;
  if (took > row->most) row->most = took;
  row->last = now;
  count_locally(&row->timed);
}

int counted_leaves(u8 *slot, u32 fn, u64 place) {
  struct passed *one = passed_at(place);
  if (!has_passed || one->place != place) return 0;
  one->place = 0;
  count_end(slot, fn, one->began);
  return 1;
}
