/* Whether anything is recorded: functions that were named for it switch that by being called. While
 * nothing is recorded the hooks of all others are off, which costs their calls next to nothing.
 *
 * Whoever switches works through the flags; who arms, disarms or switches meanwhile has the work
 * done again, so that the flags end up as the last of them wants. */
#include "recording.h"
#include "plan.h"
#include "raw.h"
#include "tables.h"

static u64 word_at(const u8 *bytes, u32 at) { return RELAXED(*(const u64 *)(bytes + at)); }

static void apply(void) {
  u32 is_off, changes;
  do {
    is_off = __atomic_load_n(&engine_recording.is_off, __ATOMIC_SEQ_CST);
    changes = __atomic_load_n(&engine_recording.changes, __ATOMIC_SEQ_CST);
    for (u32 at = 0; at < RELAXED(engine_function_count); at += 8) {
      u64 mask = is_off ? word_at(engine_always, at) : ~0ul;
      SET_RELAXED(*(u64 *)(engine_flags + at), word_at(engine_armed, at) & mask);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  } while (is_off != __atomic_load_n(&engine_recording.is_off, __ATOMIC_SEQ_CST) ||
           changes != __atomic_load_n(&engine_recording.changes, __ATOMIC_SEQ_CST));
}

static int is_switched(u32 fn) { return fn < RELAXED(engine_function_count); }

/* Only a program with triggers has others to be in the way of. */
static void set(u8 *of, u32 fn, u8 value) {
  SET_RELAXED(of[fn], value);
  __atomic_fetch_add(&engine_recording.changes, 1, __ATOMIC_SEQ_CST);
  u32 is_off;
  do {
    is_off = __atomic_load_n(&engine_recording.is_off, __ATOMIC_SEQ_CST);
    int is_on =
        RELAXED(engine_armed[fn]) && (!is_switched(fn) || !is_off || RELAXED(engine_always[fn]));
    __atomic_store_n(&engine_flags[fn], (u8)is_on, __ATOMIC_SEQ_CST);
  } while (is_off != __atomic_load_n(&engine_recording.is_off, __ATOMIC_SEQ_CST));
}

void recording_arm(u32 fn) { set(engine_armed, fn, 1); }

void recording_disarm(u32 fn) { set(engine_armed, fn, 0); }

void recording_set_always(u32 fn, int is_always) {
  if (RELAXED(engine_always[fn]) / 255 != is_always) set(engine_always, fn, is_always ? 255 : 0);
}

void recording_set(int is_on) {
  u32 is_off = !is_on;
  if (__atomic_exchange_n(&engine_recording.is_off, is_off, __ATOMIC_SEQ_CST) != is_off) apply();
}

static int is_any_always(void) {
  for (u32 at = 0; at < RECORD_MAX_FUNCTIONS; at += 8)
    if (word_at(engine_always, at)) return 1;
  return 0;
}

/* Without a function that could start it, recording is not stopped. */
EXPORT void engine_set_recording(u32 is_on) { recording_set(is_on || !is_any_always()); }
