/* Records of runtimes that tell of their calls themselves: of interpreters, and of code that was
 * made to do so. They and the thunks of one thread write one ring, so the order of its records is
 * the order of what happened.
 *
 *   engine_define    a number for a function, a type, … (definitions.c)
 *   engine_takes     before its values are captured: is this event to be recorded?
 *   engine_record    the event
 *   engine_passes    both in one, for values that were captured already
 *   engine_counts    in place of the two: a call that is not to be recorded
 *   engine_ignores   the same, and it is not counted either: nothing is recorded now
 *   engine_waits     in place of engine_record: the enter of a call of which only the end says
 *                    whether it is recorded
 *   engine_ends      at that end: whether it is
 *   engine_set_share which share of a function's calls is recorded (counted.c)
 *
 * A hot function is sampled as a native one is (counted.c). Nothing of a call that is counted is
 * recorded, from its enter to its end, but for exceptions: a runtime has no frame of ours to keep
 * that in, so that the open ones are kept here, by activation. They go from thread to thread. */
#include "counted.h"
#include "cpu.h"
#include "crash.h"
#include "emit.h"
#include "plan.h"
#include "raw.h"
#include "readSafely.h"
#include "recording.h"
#include "rings.h"
#include "tables.h"
#include "thread.h"
#include "waiting.h"

#define BUCKETS 8192
#define BUCKET_CALLS 8
/* A key: activation + 1 · the low bits of the epoch it began in. */
#define KEY_BITS 54
#define KEY_MASK ((1ul << KEY_BITS) - 1)
/* In place of the time at which a call began: it is not counted. */
#define IGNORED 0

/* No call is kept elsewhere than in its activation's bucket: there is nothing to move when one
 * ends. */
static struct bucket {
  u64 keys[BUCKET_CALLS]; /* 0: free */
  u64 starts[BUCKET_CALLS];
} open_calls[BUCKETS] __attribute__((aligned(64)));
static u64 open_count;

static struct bucket *bucket_of(u64 activation) {
  return &open_calls[activation * 0x9e3779b97f4a7c15ul >> 51];
}
_Static_assert(BUCKETS == 1ul << (64 - 51), "the upper bits of the hash say which");

static u64 epoch_bits(void) { return RELAXED(engine_process.epoch) << KEY_BITS; }

/* Where it is kept, or null. */
static u64 *find(u64 activation) {
  u64 *keys = bucket_of(activation)->keys;
  for (u32 i = 0; i < BUCKET_CALLS; i++)
    if ((RELAXED(keys[i]) & KEY_MASK) == activation + 1) return &keys[i];
  return 0;
}

static u64 *keep(u64 activation) {
  u64 *keys = bucket_of(activation)->keys, key = epoch_bits() | (activation + 1);
  for (u32 i = 0; i < BUCKET_CALLS; i++) {
    u64 none = 0;
    if (RELAXED(keys[i])) continue;
    if (!__atomic_compare_exchange_n(&keys[i], &none, key, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    __atomic_fetch_add(&open_count, 1, __ATOMIC_RELAXED);
    return &keys[i];
  }
  return 0;
}

static void forget(u64 *place) {
  __atomic_store_n(place, 0, __ATOMIC_RELEASE);
  __atomic_fetch_sub(&open_count, 1, __ATOMIC_RELAXED);
}

/* Keeps a call that begins, or returns null. Of an earlier one of its number the end was never
 * told.
 */
static u64 *keep_new(u64 activation) {
  u64 *place = RELAXED(open_count) ? find(activation) : 0;
  if (place) forget(place);
  place = keep(activation);
  if (place) place[BUCKET_CALLS] = timestamp();
  return place;
}

static u32 takes_enter(u32 fn, u64 activation) {
  u64 *place = RELAXED(open_count) ? find(activation) : 0;
  if (place) forget(place);
  if (!counted_is_sampled(fn)) return 1;
  u8 *slot = thread_slot();
  if (!slot) slot = thread_claim();
  if (!slot) return 0; /* It is a loss by now. */
  place = keep_new(activation);
  if (!place) return 1;
  if (!counted_takes(slot, fn)) return 0;
  forget(place);
  return 1;
}
_Static_assert(__builtin_offsetof(struct bucket, starts) == 8 * BUCKET_CALLS, "keys, then starts");

static void end(u64 *place, u32 fn) {
  u8 *slot = thread_slot();
  if (!slot) slot = thread_claim();
  u64 start = place[BUCKET_CALLS];
  /* In a forked child it is its parent that counts what it began. */
  int is_own = (*place & ~KEY_MASK) == epoch_bits();
  forget(place);
  if (slot && is_own && start != IGNORED) counted_has_ended(slot, fn, timestamp() - start);
}

/* Whether an event is to be recorded, and its values captured for that. To be asked once for each
 * event of a function that may be sampled; who does not ask is not sampled. */
static inline u32 takes(u32 kind, u32 fn, u64 activation) {
  if (fn < RECORD_LOCAL_FUNCTIONS || fn >= ALL_FUNCTIONS) return 1;
  if (kind == EVENT_ENTER) return takes_enter(fn, activation);
  if (!RELAXED(open_count) || kind == EVENT_RAISE || kind == EVENT_HANDLED) return 1;
  u64 *place = find(activation);
  if (!place) return 1;
  if (kind == EVENT_RETURN || kind == EVENT_UNWOUND) end(place, fn);
  return 0;
}

EXPORT u32 engine_takes(u32 kind, u32 fn, u64 activation) { return takes(kind, fn, activation); }

/* Counts a call in place of recording it, as its runtime decided: its enter, and all of it up to
 * its end (engine_takes). Returns whether it could; if not, it is to be recorded. */
EXPORT u32 engine_counts(u32 fn, u64 activation) {
  if (fn < RECORD_LOCAL_FUNCTIONS || fn >= ALL_FUNCTIONS) return 0;
  u8 *slot = thread_slot();
  if (!slot) slot = thread_claim();
  if (!slot) return 1; /* It is a loss by now. */
  u64 *place = keep_new(activation);
  if (!place) return 0;
  if (counted_begins(slot, fn)) return 1;
  forget(place);
  return 0;
}

/* Nothing of a call is recorded or counted, up to its end (engine_takes). Returns whether that can
 * be kept; if not, it is to be recorded. */
EXPORT u32 engine_ignores(u64 activation) {
  u64 *place = keep_new(activation);
  if (place) place[BUCKET_CALLS] = IGNORED;
  return place != 0;
}

/* Whether anything is recorded: calls of a runtime may switch that, too. */
EXPORT u32 engine_is_recording(void) { return !RELAXED(engine_recording.is_off); }

EXPORT void engine_switch_recording(u32 is_on) { recording_set((int)is_on); }

/* Keeps the enter of a call back until its end, or until it is seen to be needed by what happens
 * inside it (waiting.c). `least_ns`: once it has taken so long it will be recorded for sure; 0:
 * that is not known before its end. Returns whether it waits; if not, it is to be recorded. */
EXPORT u32 engine_waits(u32 fn, u64 activation, const u64 *words, u32 count, u64 least_ns) {
  u8 *slot = thread_slot();
  if (fn < RECORD_LOCAL_FUNCTIONS || fn >= ALL_FUNCTIONS) return 0;
  if (!slot) slot = thread_claim();
  if (!slot || !counted_has_row(fn)) return 0;
  return (u32)waiting_add_for(slot, fn, timestamp(), activation, words, count,
                              counted_cycles(least_ns));
}

/* The end of a call that may wait: `is_met`: which passes what is asked of ends, but for the time
 * it must take. Returns whether it is to be recorded; its enter is now. */
EXPORT u32 engine_ends(u32 fn, u64 activation, u32 is_met, u64 least_ns) {
  u8 *slot = thread_slot();
  return !slot || waiting_end_of(slot, fn, activation, (int)is_met, counted_cycles(least_ns));
}

/* Copies memory that may not be there; returns how many bytes were. For a runtime that looks where
 * nothing says what lies there. */
EXPORT u32 engine_read(void *to, u64 from, u32 length) {
  return (u32)read_safely(to, from, length);
}

/* Of the kinds that a thread's first record can be. Others follow one that was lost, and are not
 * counted beside it. */
static int may_be_first(u32 kind) {
  return kind == EVENT_ENTER || kind == EVENT_RESUME || kind == EVENT_THROW_IN ||
         kind == EVENT_CONTEXT;
}

/* Records an event as the contract (src/protocol/record.ts) has it; `sp` is the activation, of a
 * context the strand. At most MOST_PAYLOAD_WORDS words. */
static inline void record(u32 kind, u32 fn, u64 sp, const u64 *words, u32 count) {
  u8 *slot = thread_slot();
  if (fn >= ALL_FUNCTIONS || kind > RECORD_KIND_MASK) return;
  if (!slot && may_be_first(kind)) slot = thread_claim();
  if (!slot) return;
  waiting_write(slot);
  emit(slot, kind, fn, timestamp(), sp, words,
       count < MOST_PAYLOAD_WORDS ? count : MOST_PAYLOAD_WORDS);
}

EXPORT void engine_record(u32 kind, u32 fn, u64 sp, const u64 *words, u32 count) {
  record(kind, fn, sp, words, count);
}

/* Takes and records an event of a call of which nothing is asked but its values, and they were
 * captured already; while nothing is recorded it ignores a call that begins. Returns whether it is
 * to be recorded. */
EXPORT u32 engine_passes(u32 kind, u32 fn, u64 activation, const u64 *words, u32 count) {
  int is_off = kind == EVENT_ENTER && RELAXED(engine_recording.is_off);
  if (is_off && engine_ignores(activation)) return 0;
  if (!takes(kind, fn, activation)) return 0;
  record(kind, fn, activation, words, count);
  return 1;
}

EXPORT void engine_on_crash(void (*tell)(void)) { crash_tell_also(tell); }
