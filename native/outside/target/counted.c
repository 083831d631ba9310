/* See counted.h. What is recorded of a hot loop must not be overwritten before it is read: a call
 * then loses its entry or its end. So while more than half of a thread's ring waits to be read, of
 * a function that is called often one call in many is recorded; at the very end of the room none
 * is, as the calls that are open need it. Those that are passed over are remembered by their
 * places. */
#include "counted.h"
#include "../../engine/raw.h"

/* Of a thread's ring. */
#define NO_ROOM 8
/* About a tenth of a second; calls that each function may record in it before it is sampled. */
#define WINDOW_SHIFT 28
#define SHARE 64
#define EVERY 100
#define PASSED_BITS 12
#define PASSED_WAYS 4

struct passed {
  u64 place, began; /* 0: it does not count */
};

struct row {
  u32 fn, left;
  u64 calls, timed, total, least_inverted, most, last, recorded;
};
_Static_assert(sizeof(struct row) == COUNTED_BYTES, "the row is the contract's");

static struct passed passed[1 << PASSED_BITS][PASSED_WAYS] __attribute__((aligned(64)));
u32 counted_has_passed;
u8 outside_ways[RECORD_MAX_FUNCTIONS];
u16 outside_rows[RECORD_MAX_FUNCTIONS];

static struct passed *passed_near(u64 place) {
  return passed[place * 0x9e3779b97f4a7c15ul >> (64 - PASSED_BITS)];
}

/* Null: that call was not passed over. */
static struct passed *passed_at(u64 place) {
  struct passed *near = passed_near(place);
  for (u32 i = 0; i < PASSED_WAYS; i++)
    if (RELAXED(near[i].place) == place) return &near[i];
  return 0;
}

/* Where too many meet in one place an older one is forgotten: its end finds no beginning. */
static void put_passed(u64 place, u64 began) {
  struct passed *near = passed_near(place), *one = passed_at(place);
  for (u32 i = 0; i < PASSED_WAYS && !one; i++)
    if (!RELAXED(near[i].place)) one = &near[i];
  if (!one) one = &near[began / 64 % PASSED_WAYS];
  *one = (struct passed){.place = place, .began = began};
  if (!counted_has_passed) counted_has_passed = 1;
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
  __atomic_compare_exchange_n(&outside_rows[fn], &before, (u16)number, 0, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
  return outside_rows[fn];
}

/* Null: the table is full. */
static struct row *row_of(u8 *slot, u32 fn) {
  if (fn >= RECORD_MAX_FUNCTIONS) return 0;
  u32 number = RELAXED(outside_rows[fn]) ? outside_rows[fn] : fresh_row(fn);
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

static COLD int pass_over(u8 *slot, u32 fn, u64 now) {
  struct row *row = row_of(slot, fn);
  if (!row || outside_ways[fn] & WAY_WHOLE) return 0;
  if (!is_one_of_many(row, now, counted_unread(slot), counted_room())) return 0;
  count_locally(&row->calls);
  return 1;
}

int counted_passes_hit(u8 *slot, u32 fn) {
  return counted_is_behind(slot) && pass_over(slot, fn, timestamp());
}

int counted_enters_late(u8 *slot, u32 fn, u64 place) {
  u64 now = counted_is_behind(slot) ? timestamp() : 0;
  if (now && pass_over(slot, fn, now)) {
    put_passed(place, now);
    return 1;
  }
  /* One that a panic left stood there before. */
  struct passed *before = counted_has_passed ? passed_at(place) : 0;
  if (before) before->place = 0;
  return 0;
}

void counted_pass(u8 *slot, u32 fn, u64 place, int is_counted) {
  struct row *row = is_counted ? row_of(slot, fn) : 0;
  if (row) count_locally(&row->calls);
  put_passed(place, row ? timestamp() : 0);
}

int counted_is_due(u8 *slot, u32 fn, u32 every) {
  struct row *row = row_of(slot, fn);
  if (!row) return 1;
  int is_due = !row->left || row->left >= every;
  row->left = is_due ? every - 1 : row->left - 1;
  return is_due;
}

static COLD void count_end(u8 *slot, u32 fn, u64 began) {
  struct row *row = row_of(slot, fn);
  u64 now = timestamp(), took = began ? now - began : 0;
  if (!row) return;
  row->total += took;
  if (~took > row->least_inverted) row->least_inverted = ~took;
  if (took > row->most) row->most = took;
  row->last = now;
  count_locally(&row->timed);
}

void counted_whole(u8 *slot, u32 fn, u64 began) {
  struct row *row = row_of(slot, fn);
  if (!row) return;
  count_locally(&row->calls);
  count_end(slot, fn, began);
}

void counted_hit(u8 *slot, u32 fn, int is_over) {
  struct row *row = row_of(slot, fn);
  if (!row) return;
  count_locally(&row->calls);
  if (is_over) count_end(slot, fn, 0);
}

int counted_leaves_passed(u8 *slot, u32 fn, u64 place) {
  struct passed *one = passed_at(place);
  if (!one) return 0;
  u64 began = one->began;
  one->place = 0;
  if (began) count_end(slot, fn, began);
  return 1;
}
