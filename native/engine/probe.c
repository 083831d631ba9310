/* See probe.h. Runs at any statement of a program, with its registers: no libc, no locks, general
 * registers only. */
#include "probe.h"
#include "captureText.h"
#include "condition.h"
#include "counted.h"
#include "cpu.h"
#include "emit.h"
#include "maps.h"
#include "plan.h"
#include "process.h"
#include "quick.h"
#include "raw.h"
#include "reads.h"
#include "scratch.h"
#include "sentSignals.h"
#include "sites.h"
#include "tables.h"
#include "thread.h"
#include "waiting.h"
#include "walk.h"
#include "watches.h"

#define THREAD_NAME 16
#define PR_GET_NAME 16

struct row {
  u32 fn, words, values, has_vectors;
  u64 after, every, most, check, thread;
  u8 thread_name[THREAD_NAME];
  u64 code[PROBE_MAX_WORDS];
  struct watch value[PROBE_MAX_VALUES];
};
_Static_assert(sizeof(struct row) == PROBE_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct row, value) == PROBE_VALUE_ROWS,
               "the row is the contract's");

/* One that was handed in stays for ever: a thread may be reading it. */
struct probe {
  struct row row;
  u32 room; /* words that its values take at most */
  u64 met;  /* hits that met the condition, where that matters */
  struct quick condition, value[PROBE_MAX_VALUES];
};

static struct probe *probes[RECORD_MAX_FUNCTIONS];

/* What an invariant was when it was asked last, by the number its rows share. */
enum { NEVER_ASKED, HOLDS, BROKEN, NOT_KNOWN };
static u8 invariants[RECORD_MAX_FUNCTIONS];

static u32 words_of(const struct watch *value) {
  if (value->form & WATCH_FLAG_TREE) return WATCH_TREE_WORDS;
  return value->form & WATCH_FLAG_TEXT ? 2 + value->limit / 8 : 1;
}

static int is_sound(const struct row *row) {
  if (row->fn >= RECORD_MAX_FUNCTIONS || row->words > PROBE_MAX_WORDS) return 0;
  if (row->values > PROBE_MAX_VALUES || row->check > RECORD_MAX_FUNCTIONS) return 0;
  for (u32 i = 0; i < row->values; i++)
    if (row->value[i].words > WATCH_MAX_WORDS || row->value[i].limit > WATCH_TREE_WORDS * 8)
      return 0;
  return 1;
}

/* Says what is recorded at `count` statements, before they are armed or while they are. Returns 0
 * or a negative error number; then some are as they were. */
EXPORT int engine_set_probes(const u8 *table, u32 count) {
  const struct row *rows = (const struct row *)table;
  if (!count) return 0;
  struct probe *kept = map_memory((u64)count * sizeof *kept);
  if (!kept) return -ERR_INVALID;
  for (u32 i = 0; i < count; i++) {
    if (!is_sound(&rows[i]) || !counted_has_row(rows[i].fn)) return -ERR_INVALID;
    struct probe *probe = &kept[i];
    copy_bytes(&probe->row, &rows[i], sizeof probe->row);
    probe->condition = quick_of(probe->row.code, probe->row.words);
    for (u32 k = 0; k < probe->row.values; k++) {
      const struct watch *value = &probe->row.value[k];
      probe->room += words_of(value);
      probe->value[k] = quick_of(value->code, value->words);
    }
    if (probe->room > MOST_PAYLOAD_WORDS) probe->room = MOST_PAYLOAD_WORDS;
    if (!probe->room) probe->room = 1;
    __atomic_store_n(&probes[probe->row.fn], probe, __ATOMIC_RELEASE);
  }
  return 0;
}

void probes_leave(void) {
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++)
    if (probes[fn]) __atomic_store_n(&probes[fn], 0, __ATOMIC_RELEASE);
}

/* What is said of a number that could not be read or computed. */
static u32 put_unknown(u64 *words, u32 used) {
  put_header(&words[used], 0, STRING_UNREADABLE);
  return used + 1;
}

/* Where code is asked. */
struct place {
  const struct registers *r;
  u64 sp;
};

/* What the code leaves, in the copies perhaps. Returns 0 where that is not known. */
static inline int value_of(const struct quick *quick, const u64 *code, u32 words,
                           const struct place *place, u64 *copies, u64 *number) {
  u64 address = 0;
  if (quick->operands)
    return quick_value(quick, (const u64 *)(place->sp + STACK_ARGUMENTS), number);
  return condition_value(code, words, place->r, place->sp, copies, number, &address);
}

static u32 put_value(u64 *words, u32 used, u32 room, const struct watch *value,
                     const struct quick *quick, const struct place *place) {
  u64 copies[CONDITION_COPY_WORDS], number = 0;
  if (used >= room) return used;
  if (!value_of(quick, value->code, value->words, place, copies, &number))
    return put_unknown(words, used);
  if (value->form & PROBE_IS_NUMBER)
    return walk_value(words, used, room, value->where, (const u8 *)&number, 0, value->limit);
  if (value->form & WATCH_FLAG_TREE)
    return walk_value(words, used, room, value->where, 0, number, value->limit);
  if (value->form & WATCH_FLAG_TEXT)
    return capture_text(words, used, room, number, value->where, value->limit);
  words[used] = number;
  return used + 1;
}

static __attribute__((noinline)) void record(u8 *slot, struct probe *probe,
                                             const struct place *place, u64 sp) {
  u64 time = timestamp();
  u32 room = probe->room, count = 0;
  int is_apart = takes_scratch(room);
  u64 near[is_apart ? 1 : room], *words = is_apart ? (u64 *)(slot + SLOT_SCRATCH) : near;
  for (u32 i = 0; i < probe->row.values; i++)
    count = put_value(words, count, room, &probe->row.value[i], &probe->value[i], place);
  reads_end();
  waiting_write(slot);
  emit(slot, EVENT_ENTER, probe->row.fn, time, sp, words, count);
  if (is_apart) engine_thread.in_scratch = 0;
}

/* Also where that is not known. */
static int is_met(const struct probe *probe, const struct place *place) {
  u64 copies[CONDITION_COPY_WORDS], number = 0;
  const struct row *row = &probe->row;
  if (!row->words) return 1;
  return !value_of(&probe->condition, row->code, row->words, place, copies, &number) || number;
}

/* In a sandbox that may forbid to ask for it, a thread's name is not known, and every one is meant.
 */
static int is_of_thread(const struct row *row) {
  u8 name[THREAD_NAME] = {0};
  if (row->thread) return row->thread == (u64)raw0(__NR_gettid);
  if (!row->thread_name[0] || engine_sandboxed) return 1;
  if (raw2(__NR_prctl, PR_GET_NAME, name) != 0) return 1;
  for (u32 i = 0; i < THREAD_NAME; i++)
    if (name[i] != row->thread_name[i]) return 0;
  return 1;
}

/* Whether a hit that meets the condition is one of those that are wanted. */
static int is_due(struct probe *probe) {
  const struct row *row = &probe->row;
  if (!(row->after | row->every | row->most)) return 1;
  u64 met = __atomic_add_fetch(&probe->met, 1, __ATOMIC_RELAXED);
  if (met <= row->after) return 0;
  u64 nth = met - row->after, every = row->every ? row->every : 1;
  return nth % every == 0 && (!row->most || nth / every <= row->most);
}

/* Where an invariant holds no longer, or is known no longer, the first thread that sees it says so.
 */
static void check(u8 *slot, struct probe *probe, const struct place *place, u64 sp) {
  u64 copies[CONDITION_COPY_WORDS], number = 0;
  const struct row *row = &probe->row;
  u8 *state = &invariants[row->check - 1];
  reads_begin();
  int is_known = value_of(&probe->condition, row->code, row->words, place, copies, &number);
  u8 now = !is_known ? NOT_KNOWN : number ? HOLDS : BROKEN, before = RELAXED(*state);
  if (before != now) before = __atomic_exchange_n(state, now, __ATOMIC_RELAXED);
  if (now != HOLDS && before != now) return record(slot, probe, place, sp);
  reads_end();
  if (now == HOLDS) counted_whole(slot, row->fn, 0);
  else counted_begins(slot, row->fn);
}

void probe_check(u8 *slot, u32 fn, const struct registers *r, u64 entry_sp, u64 sp) {
  struct probe *probe =
      fn < RECORD_MAX_FUNCTIONS ? __atomic_load_n(&probes[fn], __ATOMIC_ACQUIRE) : 0;
  if (probe && probe->row.check) check(slot, probe, &(struct place){r, entry_sp}, sp);
}

static void look(u64 *registers, u32 fn) {
  struct probe *probe = __atomic_load_n(&probes[fn], __ATOMIC_ACQUIRE);
  u8 *slot = thread_slot();
  if (!slot) slot = thread_claim();
  if (!probe || !slot) return;
  struct registers r;
  if (probe->row.has_vectors) vectors_now(r.vector);
  /* The code's stack words are the registers. */
  struct place place = {&r, (u64)registers - STACK_ARGUMENTS};
  u64 sp = registers[CPU_STACK_POINTER] - 8;
  int is_here = is_of_thread(&probe->row);
  if (probe->row.check) {
    if (is_here) check(slot, probe, &place, sp);
    return;
  }
  reads_begin();
  int is_wanted = is_here && is_met(probe, &place);
  if (!is_wanted || !is_due(probe)) {
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
