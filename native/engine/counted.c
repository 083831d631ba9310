/* Hot functions. One whose calls come faster than a bound is sampled: one call in many leaves its
 * records, whole as ever; the others are counted and timed in the thread's slot, so that the sums
 * of both are exact. The program's own thread decides, so that no ring is overrun before a reader
 * knows.
 *
 *   check   every HOT_CHECK_BYTES of a ring, a thread looks at one in HOT_CHECK_STRIDE of the
 *           records it wrote since the last time and adds up, for the whole process, how often each
 *           function was entered within this second
 *   hot     from the bound on: PLAN_COUNTED is set, and pool.S passes calls over
 *   cool    no thread has called the function for engine_pause, or it is called less often than
 *           the bound says and the reader has caught up: all its calls are recorded again
 *
 * What is counted is exact, what is overwritten is lost: so the bound depends on the room that the
 * rings have (grow.c), for all that is left of it is shared by all functions that are called.
 *
 *   less than half waits to be read     the bound that was asked for
 *   more                                a function's share of the room that is left
 *   SHORT_OF_ROOM, or less than one     every function that is called is hot
 *   call of each function, twice
 *   OUT_OF_ROOM                         no call of a hot function is recorded: the rest is for ends
 *                                       of calls */
#include "counted.h"
#include "clock.h"
#include "condition.h"
#include "cpu.h"
#include "grow.h"
#include "maps.h"
#include "plan.h"
#include "process.h"
#include "raw.h"
#include "reads.h"
#include "recording.h"
#include "ringFile.h"
#include "rings.h"
#include "tables.h"
#include "watches.h"

#define PAUSES_IN_SECOND 10
/* What waits to be read is so many times what there is room for. */
#define SHORT_OF_ROOM 3
#define OUT_OF_ROOM 7
/* A function may have so many times its share: where all are called alike they are recorded until a
 * quarter is left. */
#define SHARES 3
#define LEAST_MEASURED 2000000ul /* ns */

struct policy {
  u32 fn, every, first, words;
  u64 least; /* ns */
  u32 depth, triggers, start_words, stop_words, return_words, padding;
  u64 code[POLICY_MAX_WORDS], start_code[POLICY_MAX_WORDS], stop_code[POLICY_MAX_WORDS],
      return_code[POLICY_MAX_WORDS];
};
_Static_assert(sizeof(struct policy) == POLICY_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct policy, code) == POLICY_CODE, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct policy, return_code) == POLICY_RETURN_CODE,
               "the row is the contract's");

/* What a function's policy asks besides a share; kept once made, as a thread may be reading it. */
struct filter {
  u32 first, words;
  u32 left; /* of the first */
  u32 depth;
  u32 triggers, start_words, stop_words, return_words;
  u64 least; /* cycles */
  u64 code[POLICY_MAX_WORDS], start_code[POLICY_MAX_WORDS], stop_code[POLICY_MAX_WORDS],
      return_code[POLICY_MAX_WORDS];
};

static u32 bound, usual_every = 100;
u32 counted_every[ALL_FUNCTIONS];
u8 counted_hot[ALL_FUNCTIONS];
static u8 hot_turns[ALL_FUNCTIONS];
static struct filter *filters[RECORD_MAX_FUNCTIONS];
static struct filter *free_filters, *last_filter;
/* In the second that began at window_began, about: how often each function was entered, and how
 * many were that are not hot. */
static u32 entered[ALL_FUNCTIONS];
static int entered_functions;
static u64 window_began;

struct row {
  u32 fn, left;
  u64 calls, timed, total, least_inverted, most, last;
  u64 recorded; /* the turn in which the function is hot in place of the lowest byte */
};
_Static_assert(__builtin_offsetof(struct row, recorded) == COUNTED_RECORDED,
               "the row is the contract's");
_Static_assert(sizeof(struct row) == COUNTED_BYTES, "the row is the contract's");

/* `calls_per_second`: from which rate on a function is sampled, 0: none is. `every`: one call in so
 * many is recorded then. */
EXPORT void engine_set_sampling(u32 calls_per_second, u32 every) {
  bound = calls_per_second;
  usual_every = every ? every : 1;
}

/* Null: of functions that a runtime defined, it decides itself. */
static struct filter *filter_of(u32 fn) {
  return fn < RECORD_MAX_FUNCTIONS ? __atomic_load_n(&filters[fn], __ATOMIC_ACQUIRE) : 0;
}

static struct row *row_in(u8 *slot, u32 fn) {
  u32 at = RELAXED(engine_counted_rows[fn]);
  return at ? (struct row *)(slot + at) : 0;
}

static int is_met(const u64 *code, u32 words, const struct registers *r, u64 sp) {
  reads_begin();
  int met = condition_met(code, words, r, sp);
  reads_end();
  return met;
}

static u64 unread_of(u8 *slot) {
  return *(u64 *)(slot + SLOT_POSITION) - *(volatile u64 *)(slot + SLOT_CONSUMED);
}

/* Whether more than `times` the room that is left waits to be read. */
static int is_behind(u8 *slot, u32 times) { return unread_of(slot) > grow_room(slot) * times; }

/* How fast the cycle counter is; not known (0) where a sandbox came first. */
static u64 cycles_per_second(void) {
  static u64 known;
  u64 began = *(u64 *)(engine_file.base + FILE_ANCHOR_MONOTONIC_NS), cycles = 0, passed = 0;
  if (known || engine_sandboxed) return known;
  while (passed < LEAST_MEASURED) {
    if (passed) raw0(__NR_sched_yield);
    cycles = timestamp() - *(u64 *)(engine_file.base + FILE_ANCHOR_TSC);
    passed = clock_now() - began;
  }
  for (; cycles >> 33; cycles /= 2) passed /= 2;
  return known = cycles * SECOND / passed;
}

/* At least 1: 0 would mean that no call need wait. */
static u64 cycles_of(u64 ns) {
  u64 rate = cycles_per_second(), cycles = ns / SECOND * rate + ns % SECOND * rate / SECOND;
  return cycles ? cycles : 1;
}

static void measure_pause(u64 now) {
  u64 ns = now - *(u64 *)(engine_file.base + FILE_ANCHOR_MONOTONIC_NS);
  u64 cycles = timestamp() - *(u64 *)(engine_file.base + FILE_ANCHOR_TSC);
  u64 milliseconds = ns / 1000000;
  if (milliseconds && ns < SECOND << 20)
    SET_RELAXED(engine_pause, cycles / milliseconds * (1000 / PAUSES_IN_SECOND));
}

u64 counted_cycles(u64 ns) { return cycles_of(ns); }

static int is_hook(u32 fn) { return fn < RECORD_MAX_FUNCTIONS; }

/* Of those that runtimes defined. */
static u32 local_functions(void) { return RELAXED(engine_next_local) - RECORD_LOCAL_FUNCTIONS; }

/* A function that was armed again has the plan word of one that is not hot. */
static int is_sampled(u32 fn) {
  return RELAXED(counted_hot[fn]) &&
         (!is_hook(fn) || RELAXED(engine_plan_words[fn]) & PLAN_COUNTED);
}

/* Returns whether it is now. */
static int make_hot(u32 fn, u64 now) {
  if (RELAXED(counted_every[fn])) return 0;
  measure_pause(now);
  if (!RELAXED(engine_pause) || !ring_file_take_row(fn)) return 0;
  if (!RELAXED(counted_hot[fn])) __atomic_fetch_add(&hot_turns[fn], 1, __ATOMIC_RELAXED);
  SET_RELAXED(counted_hot[fn], 1);
  if (is_hook(fn))
    __atomic_fetch_or(&engine_plan_words[fn], PLAN_COUNTED | PLAN_GENERAL, __ATOMIC_RELAXED);
  return 1;
}

static void cool(u32 fn) {
  SET_RELAXED(counted_hot[fn], 0);
  if (!is_hook(fn) || counted_plan(fn)) return;
  u32 general = engine_plans[fn].is_fast && !watch_plan(fn) ? PLAN_GENERAL : 0;
  __atomic_fetch_and(&engine_plan_words[fn], ~(PLAN_COUNTED | general), __ATOMIC_RELAXED);
}

static int is_any(const struct filter *filter) {
  return RELAXED(filter->first) || RELAXED(filter->words) || RELAXED(filter->least) ||
         RELAXED(filter->depth) || RELAXED(filter->triggers) || RELAXED(filter->return_words);
}

u32 counted_plan(u32 fn) {
  const struct filter *filter = filter_of(fn);
  u32 filtered = filter && is_any(filter) ? PLAN_FILTERED : 0;
  if (!RELAXED(engine_counted_rows[fn]) || (!filtered && RELAXED(counted_every[fn]) <= 1)) return 0;
  return PLAN_COUNTED | PLAN_GENERAL | filtered;
}

static struct filter *make_filter(u32 fn) {
  const u64 bytes = 64 * PAGE;
  if (filters[fn]) return filters[fn];
  if (free_filters == last_filter) {
    free_filters = map_memory(bytes);
    last_filter = free_filters ? free_filters + bytes / sizeof(struct filter) : 0;
    if (!free_filters) return 0;
  }
  __atomic_store_n(&filters[fn], free_filters, __ATOMIC_RELEASE);
  return free_filters++;
}

static int has_room(const struct policy *policy) {
  const u32 most = POLICY_MAX_WORDS;
  return policy->words <= most && policy->start_words <= most && policy->stop_words <= most &&
         policy->return_words <= most;
}

/* Meanwhile its calls are recorded as without a policy. */
static int set_policy(const struct policy *policy) {
  u32 fn = policy->fn;
  int is_filtered = policy->first || policy->words || policy->least || policy->depth ||
                    policy->triggers || policy->return_words;
  struct filter *old = filters[fn];
  if (old) {
    SET_RELAXED(old->first, 0);
    SET_RELAXED(old->words, 0);
    SET_RELAXED(old->depth, 0);
    SET_RELAXED(old->triggers, 0);
    SET_RELAXED(old->least, 0);
    SET_RELAXED(old->return_words, 0);
  }
  SET_RELAXED(counted_every[fn], 0);
  __atomic_fetch_and(&engine_plan_words[fn], ~PLAN_FILTERED, __ATOMIC_SEQ_CST);
  cool(fn);
  if ((policy->every > 1 || is_filtered) && !ring_file_take_row(fn)) return 0;
  struct filter *filter = is_filtered ? make_filter(fn) : 0;
  if (is_filtered && (!filter || !has_room(policy))) return 0;
  recording_set_always(fn, policy->triggers != 0);
  if (filter) {
    copy_bytes(filter->code, policy->code, sizeof policy->code);
    copy_bytes(filter->start_code, policy->start_code, sizeof policy->start_code);
    copy_bytes(filter->stop_code, policy->stop_code, sizeof policy->stop_code);
    copy_bytes(filter->return_code, policy->return_code, sizeof policy->return_code);
    SET_RELAXED(filter->start_words, policy->start_words);
    SET_RELAXED(filter->stop_words, policy->stop_words);
    SET_RELAXED(filter->left, policy->first);
    SET_RELAXED(filter->first, policy->first);
    SET_RELAXED(filter->least, policy->least ? cycles_of(policy->least) : 0);
    SET_RELAXED(filter->depth, policy->depth);
    __atomic_store_n(&filter->return_words, policy->return_words, __ATOMIC_RELEASE);
    __atomic_store_n(&filter->triggers, policy->triggers, __ATOMIC_RELEASE);
    __atomic_store_n(&filter->words, policy->words, __ATOMIC_RELEASE);
  }
  SET_RELAXED(counted_every[fn], policy->every);
  if (RELAXED(engine_plan_words[fn]))
    __atomic_fetch_or(&engine_plan_words[fn], counted_plan(fn), __ATOMIC_SEQ_CST);
  return 1;
}

/* Says of `count` functions which of their calls are recorded, before they are armed or while they
 * are. Returns for how many that cannot be, as all rows are taken: all their calls are recorded. */
EXPORT u32 engine_set_policies(const u8 *table, u32 count) {
  const struct policy *policies = (const struct policy *)table;
  u32 refused = 0;
  if (!RELAXED(engine_pause) && !engine_sandboxed) measure_pause(clock_coarse());
  for (u32 i = 0; i < count; i++)
    if (policies[i].fn < RECORD_MAX_FUNCTIONS) refused += !set_policy(&policies[i]);
  return refused;
}

/* Of a function that a runtime defined: one call in so many is recorded; 0: all are, until it is
 * hot; 1: all are. Returns whether that can be. */
EXPORT u32 engine_set_share(u32 fn, u32 every) {
  if (fn < RECORD_LOCAL_FUNCTIONS || fn >= ALL_FUNCTIONS) return 0;
  if (every > 1 && !ring_file_take_row(fn)) return 0;
  SET_RELAXED(counted_hot[fn], 0);
  SET_RELAXED(counted_every[fn], every);
  return 1;
}

void counted_leave(void) {
  struct policy none = {0};
  for (none.fn = 0; none.fn < engine_function_count; none.fn++) set_policy(&none);
  clear_bytes(counted_hot + RECORD_LOCAL_FUNCTIONS, local_functions());
  clear_bytes(counted_every + RECORD_LOCAL_FUNCTIONS, sizeof *counted_every * local_functions());
  recording_set(1);
}

/* From how many entries in this second on a function is hot. */
static u64 bound_now(u8 *slot) {
  u64 unread = unread_of(slot), room = grow_room(slot);
  if (unread <= room) return bound;
  u64 events = *(u64 *)(slot + SLOT_EVENTS);
  u64 call_bytes = *(u64 *)(slot + SLOT_POSITION) * 2 / (events ? events : 1);
  u64 all = RELAXED(engine_function_count) + local_functions();
  if (unread > room * SHORT_OF_ROOM || room < 2 * call_bytes * all) return 0;
  int functions = RELAXED(entered_functions);
  u64 share = room * SHARES / (call_bytes ? call_bytes : 1) / (functions > 0 ? (u64)functions : 1);
  return share < bound ? share : bound;
}

static void begin_window(u64 now) {
  u64 began = RELAXED(window_began);
  if (now - began <= SECOND || !__atomic_compare_exchange_n(&window_began, &began, now, 0,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  clear_bytes(entered, sizeof *entered * RELAXED(engine_function_count));
  clear_bytes(entered + RECORD_LOCAL_FUNCTIONS, sizeof *entered * local_functions());
  SET_RELAXED(entered_functions, 0);
}

/* A thread's ring has grown by HOT_CHECK_BYTES, give or take a record; or the end of a call lies
 * where the beginning of the next one came here. */
COLD void engine_check_hot(void) {
  u8 *slot = thread_slot();
  if (!slot || engine_sandboxed) return;
  /* Those written before the ring grew lie elsewhere. */
  u32 mask = *(u32 *)(slot + SLOT_RING_MASK), base = *(u32 *)(slot + SLOT_RING_BASE);
  u64 position = *(u64 *)(slot + SLOT_POSITION), from = *(u64 *)(slot + SLOT_CHECKED),
      most = HOT_CHECK_BYTES;
  if (position - from < HOT_CHECK_BYTES / 2) return;
  *(u64 *)(slot + SLOT_CHECKED) = position;
  grow_check(slot);
  if (!bound) return;
  if (most > mask) most = mask;
  if (position - from > most) from = position - most;
  u64 now = clock_coarse(), limit = bound_now(slot), stride = limit ? HOT_CHECK_STRIDE : 1,
      step = stride * RECORD_BYTES;
  begin_window(now);
  for (u64 at = from + step - 1 - (from + step - 1) % step; at < position; at += step) {
    const u32 *record = (const u32 *)(slot + SLOT_BYTES + base + (at & mask));
    u32 fn = record[6] & PLAN_FUNCTION_MASK;
    if (record[7] != ((u32)at | EVENT_ENTER) || is_sampled(fn)) continue;
    u64 seen = __atomic_add_fetch(&entered[fn], stride, __ATOMIC_RELAXED);
    if (seen == stride) __atomic_fetch_add(&entered_functions, 1, __ATOMIC_RELAXED);
    if (seen >= limit && make_hot(fn, now))
      __atomic_fetch_sub(&entered_functions, 1, __ATOMIC_RELAXED);
  }
}

/* Whether any other thread has called it lately. */
static int is_busy_elsewhere(const u8 *own, u32 fn, u64 now) {
  u32 used = __atomic_load_n((u32 *)(engine_file.base + FILE_USED_SLOTS), __ATOMIC_ACQUIRE);
  for (u32 i = 0; i < used; i++) {
    u8 *slot = engine_file.base + FILE_BYTES + engine_file.stride * i;
    if (slot != own && now - RELAXED(row_in(slot, fn)->last) <= RELAXED(engine_pause)) return 1;
  }
  return 0;
}

/* Whether a hot function is called less often than half the bound, all threads taken to be alike.
 */
static int has_slowed(const struct row *row, u64 now, u32 fn) {
  u64 threads = RELAXED(*(u32 *)(engine_file.base + FILE_USED_SLOTS));
  u64 cycles_per_call = RELAXED(engine_pause) * PAUSES_IN_SECOND / (bound ? bound : 1);
  if ((u8)row->recorded != RELAXED(hot_turns[fn]) || !threads) return 0;
  return (now - row->recorded) / (2 * usual_every * threads) > cycles_per_call;
}

/* Whether a call of a function that is sampled is one of those that are recorded. */
static int is_taken(u8 *slot, struct row *row, u32 fn) {
  u64 now = timestamp();
  int was_paused = now - row->last > RELAXED(engine_pause);
  SET_RELAXED(row->last, now);
  row->fn = fn;
  int left = (int)row->left, hot = RELAXED(counted_hot[fn]);
  u32 every = hot ? usual_every : RELAXED(counted_every[fn]);
  int is_due = left <= 0 || every <= 1;
  row->left = !is_due ? (u32)left - 1 : every ? every - 1 : 0;
  if ((is_due || (hot && was_paused)) && (every <= 1 || !is_behind(slot, OUT_OF_ROOM))) {
    if (hot && (is_due ? has_slowed(row, now, fn) && !is_behind(slot, 1)
                       : !is_busy_elsewhere(slot, fn, now)))
      cool(fn);
    row->recorded = (now & ~0xfful) | RELAXED(hot_turns[fn]);
    return 1;
  }
  return 0;
}

/* pool.S passes most calls over by itself, and has then counted down. */
int counted_enter(u8 *slot, struct frame *frame) {
  if (!is_taken(slot, row_in(slot, frame->fn), frame->fn)) {
    counted_pass(slot, frame);
    return 0;
  }
  frame->plan &= ~PLAN_COUNTED;
  return 1;
}

int counted_takes(u8 *slot, u32 fn) {
  struct row *row = row_in(slot, fn);
  if (is_taken(slot, row, fn)) return 1;
  count_locally(&row->calls);
  return 0;
}

/* Of the first calls. Returns whether there was one left. */
static int take_one(struct filter *filter) {
  u32 left = RELAXED(filter->left);
  while (left && !__atomic_compare_exchange_n(&filter->left, &left, left - 1, 1, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED)) {
  }
  return left != 0;
}

/* Whether a call starts or stops the recording. */
static int has_triggered(const struct filter *filter, const struct registers *r, u64 sp) {
  u32 triggers = __atomic_load_n(&filter->triggers, __ATOMIC_ACQUIRE);
  int is_on = !RELAXED(engine_recording.is_off);
  if (!(triggers & (is_on ? POLICY_STOP_TRIGGER : POLICY_START_TRIGGER))) return 0;
  u32 words = is_on ? RELAXED(filter->stop_words) : RELAXED(filter->start_words);
  if (words && !is_met(is_on ? filter->stop_code : filter->start_code, words, r, sp)) return 0;
  recording_set(!is_on);
  return 1;
}

/* Whether only its end says of a call whether it is recorded. */
static int waits(const struct filter *filter) {
  return RELAXED(filter->least) || RELAXED(filter->return_words);
}

int counted_wants(u32 fn, const struct registers *r, u64 sp) {
  struct filter *filter = filter_of(fn);
  if (has_triggered(filter, r, sp)) return 1;
  if (RELAXED(engine_recording.is_off)) return 0;
  u32 words = __atomic_load_n(&filter->words, __ATOMIC_ACQUIRE);
  if (words && !is_met(filter->code, words, r, sp)) return 0;
  if (!RELAXED(filter->first)) return 1;
  return waits(filter) ? RELAXED(filter->left) != 0 : take_one(filter);
}

int counted_waits(u32 fn) {
  const struct filter *filter = filter_of(fn);
  return filter && waits(filter);
}

u64 counted_promised(u32 fn) {
  const struct filter *filter = filter_of(fn);
  if (!filter || RELAXED(filter->first) || RELAXED(filter->return_words)) return 0;
  return RELAXED(filter->least);
}

int counted_returns(u32 fn, const struct registers *r, u64 sp) {
  const struct filter *filter = filter_of(fn);
  u32 words = filter ? __atomic_load_n(&filter->return_words, __ATOMIC_ACQUIRE) : 0;
  return !words || is_met(filter->return_code, words, r, sp);
}

int counted_keeps(u32 fn, u64 took) {
  const struct filter *filter = filter_of(fn);
  if (!is_hook(fn)) return 0;
  return !filter ||
         (took >= RELAXED(filter->least) && (!RELAXED(filter->first) || RELAXED(filter->left)));
}

void counted_took(u32 fn) {
  struct filter *filter = filter_of(fn);
  if (filter && RELAXED(filter->first)) take_one(filter);
}

/* Calls at or below a stack pointer have ended when another begins there: nothing is to be done at
 * ends, however a call ends. A stack of its own (a coroutine's, a signal's) may make a call look
 * less deep. */
int counted_is_too_deep(u8 *slot, u32 fn, u64 sp) {
  const struct filter *filter = filter_of(fn);
  u32 limit = filter ? RELAXED(filter->depth) : 0;
  volatile u32 *count = (volatile u32 *)(slot + SLOT_NESTED_COUNT);
  u64 *open = (u64 *)(slot + SLOT_NESTED);
  if (!limit) return 0;
  u32 depth = *count < SLOT_MAX_NESTED ? *count : SLOT_MAX_NESTED;
  while (depth && open[depth - 1] <= sp) depth--;
  if (depth >= limit || depth >= SLOT_MAX_NESTED) return 1;
  open[depth] = sp;
  *count = depth + 1;
  return 0;
}

void counted_pass(u8 *slot, struct frame *frame) {
  struct row *row = row_in(slot, frame->fn);
  row->fn = frame->fn;
  count_locally(&row->calls);
  frame->start = timestamp();
  frame->plan |= PLAN_UNRECORDED | PLAN_COUNTED | PLAN_GENERAL;
}

static void add_ended(struct row *row, u64 took) {
  count_locally(&row->timed);
  add_locally(&row->total, took);
  if (took > row->most) row->most = took;
  if (~took > row->least_inverted) row->least_inverted = ~took;
}

/* The end of a call that was passed over, where it is not pool.S that sees it. */
void counted_end(u8 *slot, const struct frame *frame) {
  add_ended(row_in(slot, frame->fn), timestamp() - frame->start);
}

int counted_has_row(u32 fn) { return ring_file_take_row(fn); }

int counted_begins(u8 *slot, u32 fn) {
  if (!ring_file_take_row(fn)) return 0;
  struct row *row = row_in(slot, fn);
  row->fn = fn;
  count_locally(&row->calls);
  return 1;
}

void counted_has_ended(u8 *slot, u32 fn, u64 took) {
  struct row *row = row_in(slot, fn);
  row->fn = fn;
  add_ended(row, took);
}

void counted_whole(u8 *slot, u32 fn, u64 took) {
  struct row *row = row_in(slot, fn);
  if (!row) return;
  row->fn = fn;
  count_locally(&row->calls);
  add_ended(row, took);
}
