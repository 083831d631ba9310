/* See begun.h. A row is one thread's alone while its place is TAKEN. */
#include "begun.h"
#include "../../engine/raw.h"

#define COUNT_BITS 14
/* Rows that one may be in, from where it would be. */
#define TRIES 8
/* No call's place. */
#define TAKEN 1

struct row {
  u64 place; /* 0: the row is free */
  u32 fn, unused;
  struct begun call;
};

static struct row rows[1 << COUNT_BITS];

static struct row *row_near(u64 place, u32 i) {
  u64 from = place * 0x9e3779b97f4a7c15ul >> (64 - COUNT_BITS);
  return &rows[(from + i) % (1 << COUNT_BITS)];
}

static int take(struct row *row, u64 place) {
  return RELAXED(row->place) == place &&
         __atomic_compare_exchange_n(&row->place, &place, TAKEN, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static struct row *taken(u64 place) {
  for (u32 i = 0; i < TRIES; i++)
    if (take(row_near(place, i), place)) return row_near(place, i);
  return 0;
}

/* Calls that a panic or a jump left stay until there is no room beside them. */
static COLD struct row *in_place_of_another(u64 place) {
  for (u32 i = 0; i < TRIES; i++) {
    struct row *row = row_near(place, i);
    u64 other = RELAXED(row->place);
    if (other <= TAKEN || !take(row, other)) continue;
    __atomic_fetch_add((u64 *)(outside_settings.file + FILE_LOST_NO_MEMORY), 1, __ATOMIC_RELAXED);
    return row;
  }
  return 0;
}

void begun_keep(u64 place, u32 fn, const struct begun *call) {
  struct row *row = taken(place);
  for (u32 i = 0; i < TRIES && !row; i++)
    if (take(row_near(place, i), 0)) row = row_near(place, i);
  if (!row) row = in_place_of_another(place);
  if (!row) return;
  row->fn = fn;
  row->call = *call;
  __atomic_store_n(&row->place, place, __ATOMIC_RELEASE);
}

int begun_take(u64 place, u32 fn, u64 stack_high, u64 *arguments) {
  struct row *row = taken(place);
  if (!row) return 0;
  int is_same = row->fn == fn;
  const struct begun *call = &row->call;
  for (u32 i = 0; i < AREA_INTEGERS; i++) {
    u64 word = call->arguments[i];
    int is_in_stack = word >= call->stack_low && word < call->stack_high;
    arguments[i] = is_in_stack ? word + stack_high - call->stack_high : word;
  }
  __atomic_store_n(&row->place, 0, __ATOMIC_RELEASE);
  return is_same;
}
