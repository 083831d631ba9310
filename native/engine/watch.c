/* Watches: what variables hold while traced calls begin and end, see the contract. A function with
 * watches takes the C path at its entry and its return; nothing changes for the others. */
#include "maps.h"
#include "reads.h"
#include "walk.h"

#define TEXT_WORDS 64
#define REGISTERS_KEPT 3
#define TREE_WORDS 384

struct watch {
  u16 number;
  u8 at, form;
  u32 words, where, limit;
  u64 code[WATCH_MAX_WORDS];
};
_Static_assert(sizeof(struct watch) == WATCH_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct watch, code) == WATCH_CODE, "the row is the contract's");

struct set {
  u32 count;
  u16 index[WATCH_MOST];
  u32 at; /* what its watches ask for */
};
_Static_assert(sizeof(struct set) == WATCH_SET_BYTES, "the row is the contract's");

/* A table once handed in stays for ever: a thread may be reading it. */
struct table {
  const struct watch *watches;
  u32 count;
};

struct use {
  const struct table *table;
  const struct set *set;
};

static struct use *uses[RECORD_MAX_FUNCTIONS];

u32 watch_plan(u32 fn) {
  const struct use *use = __atomic_load_n(&uses[fn], __ATOMIC_ACQUIRE);
  if (!use) return 0;
  return PLAN_GENERAL | (use->set->at & WATCH_AT_RETURN ? PLAN_STRING_RETURN : 0);
}

/* Not in `sample`'s own frame: most samples are small, and the stack the program's. */
static __attribute__((noinline)) void sample_tree(u8 *slot, const struct watch *watch, u32 tag,
                                                  u64 address, u64 sp) {
  u64 words[TREE_WORDS];
  words[0] = address;
  u32 count = walk_value(words, 1, TREE_WORDS, watch->where, 0, address, watch->limit);
  ring_emit(slot, EVENT_WATCH, tag, sp, words, count);
}

static void sample(u8 *slot, const struct watch *watch, u32 flags, const struct registers *r,
                   u64 entry_sp, u64 sp) {
  u64 words[TEXT_WORDS + 3], number = 0, address = 0;
  u32 count = 1;
  int is_known = condition_value(watch->code, watch->words, r, entry_sp, &number, &address);
  flags |= watch->form & (WATCH_FLAG_ADDRESS | WATCH_FLAG_TEXT | WATCH_FLAG_TREE);
  if (!is_known) {
    flags = (flags & WATCH_FLAG_AT_RETURN) | WATCH_FLAG_UNREADABLE;
    words[0] = address;
  } else if (watch->form & WATCH_FLAG_TREE) {
    return sample_tree(slot, watch, watch->number | flags << WATCH_NUMBER_BITS, number, sp);
  } else if (watch->form & WATCH_FLAG_TEXT) {
    words[0] = watch->where ? number : address;
    count = ring_text(words, 1, TEXT_WORDS + 3, number, watch->where, watch->limit);
  } else {
    words[0] = number;
    words[1] = address;
    if (flags & WATCH_FLAG_ADDRESS) count = 2;
  }
  ring_emit(slot, EVENT_WATCH, watch->number | flags << WATCH_NUMBER_BITS, sp, words, count);
}

static void sample_all(u8 *slot, const struct use *use, u32 at, const struct registers *r,
                       u64 entry_sp, u64 sp) {
  if (!(use->set->at & at)) return;
  reads_begin();
  for (u32 i = 0; i < use->set->count; i++) {
    const struct watch *watch = &use->table->watches[use->set->index[i]];
    if (watch->at & at)
      sample(slot, watch, at == WATCH_AT_RETURN ? WATCH_FLAG_AT_RETURN : 0, r, entry_sp, sp);
  }
  reads_end();
}

void watch_enter(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp) {
  const struct use *use = __atomic_load_n(&uses[frame->fn], __ATOMIC_ACQUIRE);
  if (!use) return;
  frame->start = (u64)use;
  for (u32 i = 0; i < REGISTERS_KEPT; i++) frame->saved[i] = r->integer[i];
  /* An entry that waits would be written by that. */
  if (frame->plan & PLAN_UNRECORDED) return;
  sample_all(slot, use, WATCH_AT_ENTER, r, entry_sp, sp);
}

/* Of a call that had the same watches when it began: else nothing of it was kept. */
void watch_return(u8 *slot, const struct frame *frame) {
  const struct use *use = __atomic_load_n(&uses[frame->fn], __ATOMIC_ACQUIRE);
  if (!use || frame->start != (u64)use) return;
  u64 sp = (u64)frame + FRAME_BYTES;
  struct registers r = {0};
  for (u32 i = 0; i < REGISTERS_KEPT; i++) r.integer[i] = frame->saved[i];
  sample_all(slot, use, WATCH_AT_RETURN, &r, sp, sp);
}

/* Brings a function's plan word in line with its watches. */
static void apply(u32 fn) {
  u32 before = __atomic_load_n(&engine_plan_words[fn], __ATOMIC_RELAXED), after;
  if (!before) return;
  do {
    after = before;
    if (engine_plans[fn].return_kind < RETURN_STRING) after &= ~PLAN_STRING_RETURN;
    if (engine_plans[fn].is_fast && !(before & (PLAN_COUNTED | PLAN_FILTERED)))
      after &= ~PLAN_GENERAL;
    after |= watch_plan(fn);
  } while (!__atomic_compare_exchange_n(&engine_plan_words[fn], &before, after, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED));
}

static int is_sound(const struct watch *watches, u32 count, const struct set *sets, u32 set_count) {
  for (u32 i = 0; i < count; i++)
    if (watches[i].words > WATCH_MAX_WORDS ||
        watches[i].limit > (watches[i].form & WATCH_FLAG_TREE ? TREE_WORDS : TEXT_WORDS) * 8)
      return 0;
  for (u32 i = 0; i < set_count; i++) {
    if (sets[i].count > WATCH_MOST) return 0;
    for (u32 k = 0; k < sets[i].count; k++)
      if (sets[i].index[k] >= count) return 0;
  }
  return 1;
}

/* Replaces all watches; see the contract. Returns 0 or a negative error number, when nothing was
 * done. */
EXPORT int engine_set_watches(const u8 *bytes, u32 count, u32 set_count, u32 function_count) {
  const struct watch *watches = (const struct watch *)bytes;
  const struct set *sets = (const struct set *)(watches + count);
  const u32 *functions = (const u32 *)(sets + set_count);
  if (count > WATCH_MOST_WATCHES || set_count > WATCH_MOST_WATCHES ||
      !is_sound(watches, count, sets, set_count))
    return -ERR_INVALID;
  u64 rows = (u64)count * sizeof *watches + (u64)set_count * sizeof *sets;
  u64 wanted_bytes = sizeof(struct use *) * RECORD_MAX_FUNCTIONS;
  struct use **wanted = map_memory(wanted_bytes);
  u8 *kept = map_memory(rows + sizeof(struct table) + set_count * sizeof(struct use) + PAGE);
  if (!wanted || !kept) return -ERR_INVALID;
  struct table *table = (struct table *)kept;
  struct use *use = (struct use *)(table + 1);
  copy_bytes(use + set_count, bytes, rows);
  table->watches = (const struct watch *)(use + set_count);
  table->count = count;
  const struct set *own = (const struct set *)(table->watches + count);
  for (u32 i = 0; i < set_count; i++) use[i] = (struct use){table, &own[i]};
  for (u32 i = 0; i < function_count; i++) {
    u32 fn = functions[2 * i], set = functions[2 * i + 1];
    if (fn < RECORD_MAX_FUNCTIONS && set < set_count) wanted[fn] = &use[set];
  }
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++) {
    if (!wanted[fn] && !uses[fn]) continue;
    __atomic_store_n(&uses[fn], wanted[fn], __ATOMIC_RELEASE);
    apply(fn);
  }
  unmap_memory(wanted, wanted_bytes);
  return 0;
}

void watch_leave(void) {
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++)
    if (uses[fn]) __atomic_store_n(&uses[fn], 0, __ATOMIC_RELEASE);
}
