/* Calls that are recorded only if they take long enough, or return what is asked for.
 *
 * Such an entry waits in its thread's slot, and no ring grows for a call that was short. All that
 * wait are written, in their order, before anything else of the thread is: so a call that has
 * recorded calls inside is recorded itself, and the records stay in the order of what happened. So
 * it is before a jump that leaves one of them; where jumps are not seen it leaves an entry behind,
 * which is written as one that never ended.
 *
 * Only the thread and its signal handlers come here. A handler that finds its thread in the middle
 * of a change leaves all as it is: its calls do not wait, and what waits is written after them. */
#include "waiting.h"
#include "counted.h"
#include "cpu.h"
#include "emit.h"
#include "rings.h"

struct waiting {
  u64 start, sp;
  u32 fn, words;
  u64 least;
  u64 captured[];
};
_Static_assert(sizeof(struct waiting) == WAITING_BYTES, "the entry is the contract's");
_Static_assert(__builtin_offsetof(struct waiting, words) == WAITING_WORDS,
               "the entry is the contract's");
_Static_assert(__builtin_offsetof(struct waiting, least) == WAITING_LEAST,
               "the entry is the contract's");

static u32 *used_in(u8 *slot) { return (u32 *)(slot + SLOT_WAITING_BYTES); }

#define NOWHERE ~0u

static u32 bytes_of(const struct waiting *one) { return (u32)sizeof *one + 8 * one->words; }

/* A slot that was left and begun anew under a thread's hands (leave.c) is another thread's too, and
 * may hold anything: what is read is looked at before it is used, and not read again. */
static u32 used_of(u8 *slot) {
  u32 used = *(volatile u32 *)used_in(slot);
  return used <= SLOT_WAITING_ROOM ? used : 0;
}

/* Reads the entry there, but for what it captured. Returns whether there is one. */
static int read_entry(const u8 *slot, u32 at, u32 used, struct waiting *one) {
  const volatile struct waiting *from = (const volatile struct waiting *)(slot + SLOT_WAITING + at);
  if (at + sizeof *one > used) return 0;
  one->start = from->start;
  one->sp = from->sp;
  one->fn = from->fn;
  one->words = from->words;
  one->least = from->least;
  return one->start && one->fn < ALL_FUNCTIONS && one->words <= SLOT_WAITING_ROOM / 8 &&
         at + bytes_of(one) <= used;
}

static int begin_change(void) {
  if (engine_thread.waiting) return 0;
  *(volatile u32 *)&engine_thread.waiting = 1;
  return 1;
}

static void end_change(void) { *(volatile u32 *)&engine_thread.waiting = 0; }

static void write_all(u8 *slot) {
  u32 used = used_of(slot);
  struct waiting one;
  for (u32 at = 0; read_entry(slot, at, used, &one); at += bytes_of(&one)) {
    const u64 *captured = (const u64 *)(slot + SLOT_WAITING + at + sizeof one);
    emit_at(slot, EVENT_ENTER, one.fn, one.start, one.sp, captured, one.words);
    counted_took(one.fn);
  }
  *(volatile u32 *)used_in(slot) = 0;
}

void waiting_write_all(u8 *slot) {
  if (!begin_change()) return;
  write_all(slot);
  end_change();
}

int waiting_outlast(u8 *slot, u64 sp) {
  u32 used = used_of(slot);
  struct waiting one;
  for (u32 at = 0; read_entry(slot, at, used, &one); at += bytes_of(&one))
    if (one.sp < sp) return 0;
  return used != 0;
}

int waiting_add(u8 *slot, u32 fn, u64 start, u64 sp, const u64 *words, u32 count) {
  return waiting_add_for(slot, fn, start, sp, words, count, counted_promised(fn));
}

int waiting_add_for(u8 *slot, u32 fn, u64 start, u64 sp, const u64 *words, u32 count, u64 least) {
  u64 bytes = sizeof(struct waiting) + 8ul * count;
  if (bytes > SLOT_WAITING_ROOM || !begin_change()) return 0;
  u32 used = used_of(slot);
  if (used + bytes > SLOT_WAITING_ROOM) {
    write_all(slot);
    used = 0;
  }
  struct waiting *one = (struct waiting *)(slot + SLOT_WAITING + used);
  one->start = start;
  one->sp = sp;
  one->fn = fn;
  one->words = count;
  one->least = least;
  for (u32 i = 0; i < count; i++) one->captured[i] = words[i];
  *(volatile u32 *)used_in(slot) = used + (u32)bytes;
  end_change();
  return 1;
}

/* Where the entry lies, which is read; the latest: an older one of the same place was left by a
 * jump. */
static u32 find(const u8 *slot, u32 used, u32 fn, u64 sp, struct waiting *found) {
  struct waiting one;
  u32 place = NOWHERE;
  for (u32 at = 0; read_entry(slot, at, used, &one); at += bytes_of(&one)) {
    if (one.sp != sp || one.fn != fn) continue;
    place = at;
    *found = one;
  }
  return place;
}

static void drop(u8 *slot, u32 used, u32 at, u32 bytes) {
  u8 *from = slot + SLOT_WAITING + at;
  copy_bytes(from, from + bytes, used - at - bytes);
  *(volatile u32 *)used_in(slot) = used - bytes;
}

/* A reader may have shown it already. */
static int is_promised(const struct waiting *one, u64 now) {
  return one->least && now - one->start >= one->least;
}

/* `least`: null: the table of policies says it. */
static int end(u8 *slot, u32 fn, u64 sp, int is_met, const u64 *least) {
  u64 now = timestamp();
  if (!begin_change()) return 1;
  struct waiting one;
  u32 used = used_of(slot), at = find(slot, used, fn, sp, &one);
  int is_kept = at == NOWHERE;
  if (!is_kept && is_met)
    is_kept = is_promised(&one, now) ||
              (least ? now - one.start >= *least : counted_keeps(fn, now - one.start));
  if (is_kept) write_all(slot);
  else {
    counted_whole(slot, fn, now - one.start);
    drop(slot, used, at, bytes_of(&one));
  }
  end_change();
  return is_kept;
}

int waiting_end(u8 *slot, u32 fn, u64 sp, int is_met) { return end(slot, fn, sp, is_met, 0); }

int waiting_end_of(u8 *slot, u32 fn, u64 sp, int is_met, u64 least) {
  return end(slot, fn, sp, is_met, &least);
}
