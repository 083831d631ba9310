/* Hot functions. One whose calls come faster than a bound is sampled: one call in many leaves its
 * records, whole as ever; the others are counted and timed in the thread's slot, so that the sums of
 * both are exact. The program's own thread decides, so that no ring is overrun before a reader knows.
 *
 *   check   every HOT_CHECK_BYTES of a ring, a thread looks at one in HOT_CHECK_STRIDE of the records
 *           it wrote since the last time and adds up, for the whole process, how often each function
 *           was entered within this second
 *   hot     from the bound on: PLAN_COUNTED is set, and pool.S passes calls over; the bound is lower
 *           while half of the ring waits to be read: what is counted is exact, what is overwritten is lost
 *   cool    no thread has called the function for engine_pause: all its calls are recorded again
 *
 * The bound holds for a second: what a program does in a short burst is recorded whole. */
#include "maps.h"

#define SECOND 1000000000ul
#define PAUSES_IN_SECOND 10
/* Calls within a second from which on a function is sampled while half of its thread's ring waits to be
 * read, and while three quarters do. */
#define BOUND_WHEN_BEHIND 4096
#define BOUND_WHEN_FAR_BEHIND 256
#define CLOCK_MONOTONIC_COARSE 6

u32 engine_counted_used = 1;

struct policy {
  u32 fn, every, first, words;
  u64 code[POLICY_MAX_WORDS];
};
_Static_assert(sizeof(struct policy) == POLICY_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct policy, code) == POLICY_CODE, "the row is the contract's");

/* What a function's policy asks besides a share; kept once made, as a thread may be reading it. */
struct filter {
  u32 first, words;
  u32 left; /* of the first */
  u64 code[POLICY_MAX_WORDS];
};

static u32 bound, usual_every = 100;
static u32 wanted_every[RECORD_MAX_FUNCTIONS]; /* of the function's policy */
static u8 is_hot[RECORD_MAX_FUNCTIONS];
static struct filter *filters[RECORD_MAX_FUNCTIONS];
static struct filter *free_filters, *last_filter;
static u32 entered[RECORD_MAX_FUNCTIONS]; /* in the second that began at window_began, about */
static u64 window_began;
static u32 table_lock;

struct row {
  u32 fn, left;
  u64 calls, timed, total, least_inverted, most, last;
};
_Static_assert(__builtin_offsetof(struct row, last) == COUNTED_LAST, "the row is the contract's");

/* `calls_per_second`: from which rate on a function is sampled, 0: none is. `every`: one call in so
 * many is recorded then. */
EXPORT void engine_set_sampling(u32 calls_per_second, u32 every) {
  bound = calls_per_second;
  usual_every = every ? every : 1;
}

static struct row *row_in(u8 *slot, u32 fn) {
  u32 at = engine_counted_rows[fn];
  return at ? (struct row *)(slot + at) : 0;
}

/* Gives a function its row. Returns whether it has one. */
static int take_row(u32 fn) {
  /* A signal may have come to whoever holds it, and its handler must not wait for that: later, then. */
  if (__atomic_exchange_n(&table_lock, 1, __ATOMIC_ACQUIRE)) return engine_counted_rows[fn] != 0;
  if (!engine_counted_rows[fn] && engine_counted_used < COUNTED_COUNT) {
    engine_counted_rows[fn] = SLOT_COUNTED + COUNTED_BYTES * engine_counted_used++;
    __atomic_store_n((u32 *)(engine_file.base + FILE_COUNTED_ROWS), engine_counted_used, __ATOMIC_RELEASE);
  }
  give_lock(&table_lock);
  return engine_counted_rows[fn] != 0;
}

/* For a thread that no signal makes call traced functions. */
static int await_row(u32 fn) {
  for (u32 tries = 0; tries < 1000 && engine_counted_used < COUNTED_COUNT && !take_row(fn); tries++)
    raw0(__NR_sched_yield);
  return engine_counted_rows[fn] != 0;
}

static u64 coarse_now(void) {
  struct {
    u64 seconds, nanoseconds;
  } time = {0, 0};
  raw2(__NR_clock_gettime, CLOCK_MONOTONIC_COARSE, &time);
  return time.seconds * SECOND + time.nanoseconds;
}

static void measure_pause(u64 now) {
  u64 ns = now - *(u64 *)(engine_file.base + FILE_ANCHOR_MONOTONIC_NS);
  u64 cycles = timestamp() - *(u64 *)(engine_file.base + FILE_ANCHOR_TSC);
  u64 milliseconds = ns / 1000000;
  if (milliseconds && ns < SECOND << 20) engine_pause = cycles / milliseconds * (1000 / PAUSES_IN_SECOND);
}

static void make_hot(u32 fn, u64 now) {
  if (wanted_every[fn] || is_hot[fn]) return;
  measure_pause(now);
  if (!engine_pause || !take_row(fn)) return;
  is_hot[fn] = 1;
  __atomic_fetch_or(&engine_plan_words[fn], PLAN_COUNTED | PLAN_GENERAL, __ATOMIC_RELAXED);
}

static void cool(u32 fn) {
  u32 general = engine_plans[fn].is_fast ? PLAN_GENERAL : 0;
  is_hot[fn] = 0;
  if (counted_plan(fn)) return;
  __atomic_fetch_and(&engine_plan_words[fn], ~(PLAN_COUNTED | general), __ATOMIC_RELAXED);
}

u32 counted_plan(u32 fn) {
  const struct filter *filter = filters[fn];
  u32 filtered = filter && (filter->first || filter->words) ? PLAN_FILTERED : 0;
  if (!engine_counted_rows[fn] || (!filtered && wanted_every[fn] <= 1)) return 0;
  return PLAN_COUNTED | PLAN_GENERAL | filtered;
}

static struct filter *filter_of(u32 fn) {
  const u64 bytes = 64 * PAGE;
  if (filters[fn]) return filters[fn];
  if (free_filters == last_filter) {
    free_filters = map_memory(bytes);
    last_filter = free_filters ? free_filters + bytes / sizeof(struct filter) : 0;
    if (!free_filters) return 0;
  }
  return filters[fn] = free_filters++;
}

/* Meanwhile its calls are recorded as without a policy. */
static int set_policy(const struct policy *policy) {
  u32 fn = policy->fn;
  int is_filtered = policy->first || policy->words;
  if (filters[fn]) filters[fn]->first = filters[fn]->words = 0;
  wanted_every[fn] = 0;
  __atomic_fetch_and(&engine_plan_words[fn], ~PLAN_FILTERED, __ATOMIC_SEQ_CST);
  cool(fn);
  if ((policy->every > 1 || is_filtered) && !await_row(fn)) return 0;
  struct filter *filter = is_filtered ? filter_of(fn) : 0;
  if (is_filtered && (!filter || policy->words > POLICY_MAX_WORDS)) return 0;
  if (filter) {
    for (u32 i = 0; i < policy->words; i++) filter->code[i] = policy->code[i];
    filter->left = filter->first = policy->first;
    __atomic_store_n(&filter->words, policy->words, __ATOMIC_RELEASE);
  }
  wanted_every[fn] = policy->every;
  if (engine_plan_words[fn]) __atomic_fetch_or(&engine_plan_words[fn], counted_plan(fn), __ATOMIC_SEQ_CST);
  return 1;
}

/* Says of `count` functions which of their calls are recorded, before they are armed or while they
 * are. Returns for how many that cannot be, as all rows are taken: all their calls are recorded. */
EXPORT u32 engine_set_policies(const u8 *table, u32 count) {
  const struct policy *policies = (const struct policy *)table;
  u32 refused = 0;
  if (!engine_pause && !engine_sandboxed) measure_pause(coarse_now());
  for (u32 i = 0; i < count; i++)
    if (policies[i].fn < RECORD_MAX_FUNCTIONS) refused += !set_policy(&policies[i]);
  return refused;
}

void counted_leave(void) {
  struct policy none = {0};
  for (none.fn = 0; none.fn < engine_function_count; none.fn++) set_policy(&none);
}

/* A thread's ring has grown by HOT_CHECK_BYTES, give or take a record. */
COLD void engine_check_hot(void) {
  u8 *slot = thread_slot();
  if (!slot || !bound || engine_sandboxed) return;
  u64 position = *(u64 *)(slot + SLOT_POSITION), length = HOT_CHECK_BYTES;
  if (length > engine_mask) length = engine_mask;
  if (position < length) return;
  u64 unread = position - *(volatile u64 *)(slot + SLOT_CONSUMED);
  u32 now_bound = bound;
  if (unread > engine_mask / 2 && now_bound > BOUND_WHEN_BEHIND) now_bound = BOUND_WHEN_BEHIND;
  if (unread > engine_mask / 4 * 3 && now_bound > BOUND_WHEN_FAR_BEHIND) now_bound = BOUND_WHEN_FAR_BEHIND;
  u64 now = coarse_now(), began = __atomic_load_n(&window_began, __ATOMIC_RELAXED);
  if (now - began > SECOND &&
      __atomic_compare_exchange_n(&window_began, &began, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    clear_bytes(entered, sizeof *entered * engine_function_count);
  for (u64 at = position - length; at < position; at += HOT_CHECK_STRIDE * RECORD_BYTES) {
    const u32 *record = (const u32 *)(slot + SLOT_BYTES + (at & engine_mask));
    u32 fn = record[6] & PLAN_FUNCTION_MASK;
    if (record[7] != ((u32)at | EVENT_ENTER) || fn >= RECORD_MAX_FUNCTIONS) continue;
    u32 seen = __atomic_add_fetch(&entered[fn], HOT_CHECK_STRIDE, __ATOMIC_RELAXED);
    if (seen >= now_bound) make_hot(fn, now);
  }
}

/* Whether any other thread has called it lately. */
static int is_busy_elsewhere(const u8 *own, u32 fn, u64 now) {
  u32 used = *(u32 *)(engine_file.base + FILE_USED_SLOTS);
  for (u32 i = 0; i < used; i++) {
    u8 *slot = engine_file.base + FILE_BYTES + engine_file.stride * i;
    if (slot != own && now - row_in(slot, fn)->last <= engine_pause) return 1;
  }
  return 0;
}

/* pool.S passes most calls over by itself, and has then counted down. */
int counted_enter(u8 *slot, struct frame *frame) {
  u32 fn = frame->fn;
  struct row *row = row_in(slot, fn);
  u64 now = timestamp();
  int was_paused = now - row->last > engine_pause;
  row->last = now;
  row->fn = fn;
  int left = (int)row->left, hot = is_hot[fn];
  u32 every = hot ? usual_every : wanted_every[fn];
  if (left <= 0 || every <= 1) row->left = every ? every - 1 : 0;
  else if (hot && was_paused && !is_busy_elsewhere(slot, fn, now)) cool(fn);
  if (left <= 0 || every <= 1 || (hot && was_paused)) {
    frame->plan &= ~PLAN_COUNTED;
    return 1;
  }
  row->left = (u32)left - 1;
  counted_pass(slot, frame);
  return 0;
}

int counted_wants(u32 fn, const struct registers *r, u64 sp) {
  struct filter *filter = filters[fn];
  u32 words = __atomic_load_n(&filter->words, __ATOMIC_ACQUIRE);
  if (words && !condition_met(filter->code, words, r, sp)) return 0;
  if (!filter->first) return 1;
  u32 left = __atomic_load_n(&filter->left, __ATOMIC_RELAXED);
  while (left && !__atomic_compare_exchange_n(&filter->left, &left, left - 1, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return left != 0;
}

void counted_pass(u8 *slot, struct frame *frame) {
  struct row *row = row_in(slot, frame->fn);
  row->fn = frame->fn;
  __asm__ volatile("incq %0" : "+m"(row->calls));
  frame->start = timestamp();
  frame->plan |= PLAN_UNRECORDED | PLAN_COUNTED;
}

/* The end of a call that was passed over, where it is not pool.S that sees it. */
void counted_end(u8 *slot, const struct frame *frame) {
  struct row *row = row_in(slot, frame->fn);
  u64 took = timestamp() - frame->start;
  __asm__ volatile("incq %0" : "+m"(row->timed));
  __asm__ volatile("addq %1, %0" : "+m"(row->total) : "r"(took));
  if (took > row->most) row->most = took;
  if (~took > row->least_inverted) row->least_inverted = ~took;
}
