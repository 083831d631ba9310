/* Calls that are recorded only if they take long enough.
 *
 * Such an entry waits in its thread's slot, and no ring grows for a call that was short. All that wait
 * are written, in their order, before anything else of the thread is: so a call that has recorded calls
 * inside is recorded itself, and the records stay in the order of what happened. A frame that was left by a jump
 * leaves an entry behind; it is written as one that never ended.
 *
 * Only the thread and its signal handlers come here. A handler that finds its thread in the middle of
 * a change leaves all as it is: its calls do not wait, and what waits is written after them. */
#include "raw.h"

struct waiting {
  u64 start, sp;
  u32 fn, words;
  u64 least;
  u64 captured[];
};
_Static_assert(sizeof(struct waiting) == WAITING_BYTES, "the entry is the contract's");
_Static_assert(__builtin_offsetof(struct waiting, words) == WAITING_WORDS, "the entry is the contract's");
_Static_assert(__builtin_offsetof(struct waiting, least) == WAITING_LEAST, "the entry is the contract's");

static u32 *used_in(u8 *slot) {
  return (u32 *)(slot + SLOT_WAITING_BYTES);
}

static u64 bytes_of(const struct waiting *one) {
  return sizeof *one + 8ul * one->words;
}

static int begin_change(void) {
  if (engine_thread.waiting) return 0;
  *(volatile u32 *)&engine_thread.waiting = 1;
  return 1;
}

static void end_change(void) {
  *(volatile u32 *)&engine_thread.waiting = 0;
}

static void write_all(u8 *slot) {
  u32 used = *used_in(slot);
  for (u32 at = 0; at < used && at < SLOT_WAITING_ROOM;) {
    const struct waiting *one = (const struct waiting *)(slot + SLOT_WAITING + at);
    ring_emit_at(slot, EVENT_ENTER, one->fn, one->start, one->sp, one->captured, one->words);
    counted_took(one->fn);
    at += bytes_of(one);
  }
  *(volatile u32 *)used_in(slot) = 0;
}

void waiting_write(u8 *slot) {
  if (!*used_in(slot) || !begin_change()) return;
  write_all(slot);
  end_change();
}

int waiting_add(u8 *slot, u32 fn, u64 start, u64 sp, const u64 *words, u32 count) {
  u64 bytes = sizeof(struct waiting) + 8ul * count;
  if (bytes > SLOT_WAITING_ROOM || !begin_change()) return 0;
  if (*used_in(slot) + bytes > SLOT_WAITING_ROOM) write_all(slot);
  u32 used = *used_in(slot);
  struct waiting *one = (struct waiting *)(slot + SLOT_WAITING + used);
  one->start = start;
  one->sp = sp;
  one->fn = fn;
  one->words = count;
  one->least = counted_promised(fn);
  for (u32 i = 0; i < count; i++) one->captured[i] = words[i];
  *(volatile u32 *)used_in(slot) = used + (u32)bytes;
  end_change();
  return 1;
}

/* The latest: an older one of the same place was left by a jump. */
static struct waiting *find(u8 *slot, u32 fn, u64 sp) {
  struct waiting *found = 0;
  for (u32 at = 0; at < *used_in(slot) && at < SLOT_WAITING_ROOM;) {
    struct waiting *one = (struct waiting *)(slot + SLOT_WAITING + at);
    if (one->sp == sp && one->fn == fn) found = one;
    at += bytes_of(one);
  }
  return found;
}

static void drop(u8 *slot, struct waiting *one) {
  u64 bytes = bytes_of(one);
  u8 *next = (u8 *)one + bytes, *end = slot + SLOT_WAITING + *used_in(slot);
  if (next < end) copy_bytes(one, next, (u64)(end - next));
  *(volatile u32 *)used_in(slot) -= (u32)bytes;
}

/* A reader may have shown it already. */
static int is_promised(const struct waiting *one, u64 now) {
  return one->least && now - one->start >= one->least;
}

int waiting_end(u8 *slot, u32 fn, u64 sp) {
  u64 now = timestamp();
  if (!begin_change()) return 1;
  struct waiting *one = find(slot, fn, sp);
  int is_kept = !one || is_promised(one, now) || counted_keeps(fn, now - one->start);
  if (is_kept) write_all(slot);
  else {
    counted_whole(slot, fn, now - one->start);
    drop(slot, one);
  }
  end_change();
  return is_kept;
}
