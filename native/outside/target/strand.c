/* See strand.h. A strand runs on one thread at a time, which alone changes what it has; what none
 * has is taken by one atomic exchange. */
#include "strand.h"
#include "../../engine/raw.h"

#define STRAND_COUNT 4096u
#define WAITING_COUNT 4096u
/* Places that one may be found at, from where it would be. */
#define TRIES 8

struct strand {
  u64 key; /* plus 1; 0: it is nobody's */
  u32 innermost, depth;
  u64 open[SLOT_MAX_NESTED]; /* the outermost first */
};

static struct strand strands[STRAND_COUNT];
/* The first is nobody's. */
static struct waiting entries[WAITING_COUNT];
u32 strand_has_any;

static u32 hash(u64 key, u32 count) { return (u32)(key * 0x9e3779b97f4a7c15ul >> 32) % count; }

struct strand *strand_of(u64 key) {
  if (!strand_has_any) return 0;
  for (u32 i = 0; i < TRIES; i++) {
    struct strand *one = &strands[(hash(key, STRAND_COUNT) + i) % STRAND_COUNT];
    if (RELAXED(one->key) == key + 1) return one;
  }
  return 0;
}

static struct strand *taken(u64 key) {
  struct strand *known = strand_of(key);
  SET_RELAXED(strand_has_any, 1);
  for (u32 i = 0; i < TRIES && !known; i++) {
    struct strand *one = &strands[(hash(key, STRAND_COUNT) + i) % STRAND_COUNT];
    u64 none = 0;
    if (__atomic_compare_exchange_n(&one->key, &none, key + 1, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      known = one;
  }
  return known;
}

void strand_leave(struct strand *strand) {
  if (!strand->innermost && !strand->depth) __atomic_store_n(&strand->key, 0, __ATOMIC_RELEASE);
}

int strand_is_too_deep(u64 key, u64 place, u32 limit) {
  struct strand *strand = taken(key);
  if (!strand) return 0;
  while (strand->depth && strand->open[strand->depth - 1] <= place) strand->depth--;
  if (strand->depth >= limit || strand->depth >= SLOT_MAX_NESTED) return 1;
  strand->open[strand->depth++] = place;
  return 0;
}

struct waiting *strand_waiting(const struct strand *strand) {
  return strand && strand->innermost ? &entries[strand->innermost] : 0;
}

/* The place of an entry is its mark: 0 is none's. */
struct waiting *strand_add(u64 key) {
  struct strand *strand = taken(key);
  u32 from = hash(key + timestamp(), WAITING_COUNT);
  for (u32 i = 0; i < TRIES && strand; i++) {
    u32 number = (from + i) % WAITING_COUNT;
    u64 none = 0;
    if (!number || !__atomic_compare_exchange_n(&entries[number].place, &none, 1, 0,
                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    entries[number].outer = strand->innermost;
    strand->innermost = number;
    return &entries[number];
  }
  if (strand) strand_leave(strand);
  return 0;
}

void strand_drop(struct strand *strand) {
  struct waiting *one = &entries[strand->innermost];
  strand->innermost = one->outer;
  __atomic_store_n(&one->place, 0, __ATOMIC_RELEASE);
}

void strand_forget(struct strand *strand, u64 place) {
  while (strand->depth && strand->open[strand->depth - 1] <= place) strand->depth--;
}

static u32 turned(u32 number) {
  u32 before = 0;
  while (number) {
    u32 outer = entries[number].outer;
    entries[number].outer = before;
    before = number;
    number = outer;
  }
  return before;
}

void strand_each(struct strand *strand, void (*take)(void *context, const struct waiting *one),
                 void *context) {
  u32 number = turned(strand->innermost);
  strand->innermost = 0;
  while (number) {
    struct waiting *one = &entries[number];
    u32 inner = one->outer;
    take(context, one);
    __atomic_store_n(&one->place, 0, __ATOMIC_RELEASE);
    number = inner;
  }
}
