/* See late.h. What waits is written before anything else of its strand: so the records of a strand
 * are in the order in which it did what they say, although their times are older than those of
 * others before them in a ring. */
#include "late.h"
#include "counted.h"
#include "policy.h"
#include "write.h"

int late_has(u64 key) { return strand_waiting(strand_of(key)) != 0; }

static void write_one(void *slot, const struct waiting *one) {
  write_record_of(slot, EVENT_ENTER, one->fn, one->start, one->place, one->words, one->count);
  policy_took(one->fn);
}

static void drop(u8 *slot, struct strand *strand) {
  const struct waiting *one = strand_waiting(strand);
  counted_whole(slot, one->fn, one->start);
  strand_drop(strand);
}

/* Of calls that a panic or a jump left it is known how long they took at most. */
static void end_inner(u8 *slot, struct strand *strand, u64 place) {
  const struct waiting *one;
  while ((one = strand_waiting(strand)) && one->place < place) {
    if (policy_keeps(one->fn, timestamp() - one->start, 0, 0))
      return strand_each(strand, write_one, slot);
    drop(slot, strand);
  }
}

void late_write_now(u8 *slot, u64 key, u64 place) {
  struct strand *strand = strand_of(key);
  if (!strand) return;
  end_inner(slot, strand, place);
  if (strand_waiting(strand)) strand_each(strand, write_one, slot);
  strand_leave(strand);
}

int late_add(u8 *slot, u64 key, u32 fn, u64 place, const u64 *words, u32 count,
             const u64 *arguments, u32 argument_count) {
  struct strand *strand = strand_of(key);
  if (strand) {
    end_inner(slot, strand, place + 1);
    strand_leave(strand);
  }
  struct waiting *one = count <= LATE_WORDS ? strand_add(key) : 0;
  if (!one) return 0;
  one->start = timestamp();
  one->fn = fn;
  one->count = count;
  for (u32 i = 0; i < count; i++) one->words[i] = words[i];
  for (u32 i = 0; i < argument_count; i++) one->arguments[i] = arguments[i];
  one->place = place;
  return 1;
}

const struct waiting *late_ending_now(u8 *slot, u64 key, u32 fn, u64 place) {
  struct strand *strand = strand_of(key);
  if (!strand) return 0;
  strand_forget(strand, place);
  end_inner(slot, strand, place);
  const struct waiting *one = strand_waiting(strand);
  if (one && one->place == place && one->fn == fn) return one;
  strand_leave(strand);
  return 0;
}

void late_drop(u8 *slot, u64 key) {
  struct strand *strand = strand_of(key);
  drop(slot, strand);
  strand_leave(strand);
}
