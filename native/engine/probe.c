/* See probe.h. Runs at any statement of a program, with its registers: no libc, no locks, general
 * registers only. */
#include "probe.h"
#include "counted.h"
#include "cpu.h"
#include "emit.h"
#include "maps.h"
#include "probeValues.h"
#include "process.h"
#include "raw.h"
#include "scratch.h"
#include "sentSignals.h"
#include "sites.h"
#include "tables.h"
#include "thread.h"
#include "waiting.h"

#define PR_GET_NAME 16

/* One that was handed in stays for ever: a thread may be reading it. */
static struct probe *probes[RECORD_MAX_FUNCTIONS];

/* By the number that the rows of an invariant share. */
static u8 invariants[RECORD_MAX_FUNCTIONS];

/* Says what is recorded at `count` statements, before they are armed or while they are. Returns 0
 * or a negative error number; then some are as they were. */
EXPORT int engine_set_probes(const u8 *table, u32 count) {
  if (!count) return 0;
  struct probe *kept = map_memory((u64)count * sizeof *kept);
  if (!kept) return -ERR_INVALID;
  for (u32 i = 0; i < count; i++) {
    struct probe *probe = &kept[i];
    if (!probe_fill(probe, table + (u64)i * PROBE_BYTES) || !counted_has_row(probe->row.fn))
      return -ERR_INVALID;
    __atomic_store_n(&probes[probe->row.fn], probe, __ATOMIC_RELEASE);
  }
  return 0;
}

void probes_leave(void) {
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++)
    if (probes[fn]) __atomic_store_n(&probes[fn], 0, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void
put(u8 *slot, const struct probe *probe, const struct probe_place *place, u64 sp, u64 *words) {
  u64 time = timestamp();
  u32 count = probe_values(probe, place, words);
  reads_end();
  waiting_write(slot);
  emit(slot, EVENT_ENTER, probe->row.fn, time, sp, words, count);
}

static __attribute__((noinline)) void record_much(u8 *slot, struct probe *probe,
                                                  const struct probe_place *place, u64 sp) {
  u32 room = probe->room;
  int is_apart = takes_scratch(room + 1);
  u64 near[is_apart ? 1 : room + 1];
  put(slot, probe, place, sp, is_apart ? (u64 *)(slot + SLOT_SCRATCH) : near);
  if (is_apart) engine_thread.in_scratch = 0;
}

static inline __attribute__((always_inline)) void record(u8 *slot, struct probe *probe,
                                                         const struct probe_place *place, u64 sp) {
  u64 near[NEAR_WORDS];
  if (probe->room < NEAR_WORDS) put(slot, probe, place, sp, near);
  else record_much(slot, probe, place, sp);
}

/* In a sandbox that may forbid to ask for it, a thread's name is not known, and every one is meant.
 */
static int is_of_thread(const struct probe_row *row) {
  u8 name[THREAD_NAME] = {0};
  if (row->thread) return row->thread == (u64)raw0(__NR_gettid);
  if (!row->thread_name[0] || engine_sandboxed) return 1;
  if (raw2(__NR_prctl, PR_GET_NAME, name) != 0) return 1;
  for (u32 i = 0; i < THREAD_NAME; i++)
    if (name[i] != row->thread_name[i]) return 0;
  return 1;
}

static __attribute__((noinline)) void check(u8 *slot, struct probe *probe,
                                            struct probe_place *place, u64 sp) {
  int holds = 0;
  reads_begin();
  if (probe_breaks(probe, place, &invariants[probe->row.check - 1], &holds))
    return record(slot, probe, place, sp);
  reads_end();
  if (holds) counted_whole(slot, probe->row.fn, 0);
  else counted_begins(slot, probe->row.fn);
}

void probe_check(u8 *slot, u32 fn, const struct registers *r, u64 entry_sp, u64 sp) {
  struct probe *probe =
      fn < RECORD_MAX_FUNCTIONS ? __atomic_load_n(&probes[fn], __ATOMIC_ACQUIRE) : 0;
  if (probe && probe->row.check) check(slot, probe, &(struct probe_place){r, entry_sp, 0}, sp);
}

static void look(u64 *registers, u32 fn) {
  struct probe *probe = __atomic_load_n(&probes[fn], __ATOMIC_ACQUIRE);
  u8 *slot = thread_slot();
  if (!slot) slot = thread_claim();
  if (!probe || !slot) return;
  struct registers r;
  if (probe->row.has_vectors) vectors_now(r.vector);
  /* The code's stack words are the registers. */
  struct probe_place place = {&r, (u64)registers - STACK_ARGUMENTS, 0};
  u64 sp = registers[CPU_STACK_POINTER] - 8;
  int is_here = is_of_thread(&probe->row);
  if (probe->row.check) {
    if (is_here) check(slot, probe, &place, sp);
    return;
  }
  reads_begin();
  int is_wanted = is_here && probe_is_met(probe, &place);
  if (!is_wanted || !probe_is_due(probe)) {
    reads_end();
    counted_whole(slot, fn, 0);
  } else if (counted_is_sampled(fn) && !counted_takes(slot, fn)) reads_end();
  else record(slot, probe, &place, sp);
}

u64 probe_hit(u64 *registers, u32 fn) {
  registers[PROBE_BACK / 8] = engine_sites[fn].address;
  if (engine_sites[fn].state == SITE_TRAPPED) signals_after_trap();
  if (RELAXED(engine_flags[fn])) look(registers, fn);
  return engine_targets[fn];
}
