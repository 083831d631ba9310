/* See watches.h. */
#include "watches.h"
#include "cpu.h"
#include "maps.h"
#include "plan.h"
#include "raw.h"
#include "tables.h"

struct watch_use *watch_uses[RECORD_MAX_FUNCTIONS];

u32 watch_plan(u32 fn) {
  const struct watch_use *use = watch_use_of(fn);
  if (!use) return 0;
  return PLAN_GENERAL | (use->set->at & WATCH_AT_RETURN ? PLAN_STRING_RETURN : 0);
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

/* Replaces all watches; see the contract. Returns 0 or a negative error number, when nothing was
 * done. */
EXPORT int engine_set_watches(const u8 *bytes, u32 count, u32 set_count, u32 function_count) {
  const struct watch *watches = (const struct watch *)bytes;
  const struct watch_set *sets = (const struct watch_set *)(watches + count);
  const u32 *functions = (const u32 *)(sets + set_count);
  if (!watches_are_sound(watches, count, sets, set_count)) return -ERR_INVALID;
  u64 rows = (u64)count * sizeof *watches + (u64)set_count * sizeof *sets;
  u64 wanted_bytes = sizeof(struct watch_use *) * RECORD_MAX_FUNCTIONS;
  struct watch_use **wanted = map_memory(wanted_bytes);
  u8 *kept =
      map_memory(rows + sizeof(struct watch_table) + set_count * sizeof(struct watch_use) + PAGE);
  if (!wanted || !kept) return -ERR_INVALID;
  struct watch_table *table = (struct watch_table *)kept;
  struct watch_use *use = (struct watch_use *)(table + 1);
  copy_bytes(use + set_count, bytes, rows);
  table->watches = (const struct watch *)(use + set_count);
  table->count = count;
  const struct watch_set *own = (const struct watch_set *)(table->watches + count);
  for (u32 i = 0; i < set_count; i++) use[i] = (struct watch_use){table, &own[i]};
  for (u32 i = 0; i < function_count; i++) {
    u32 fn = functions[2 * i], set = functions[2 * i + 1];
    if (fn < RECORD_MAX_FUNCTIONS && set < set_count) wanted[fn] = &use[set];
  }
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++) {
    if (!wanted[fn] && !watch_uses[fn]) continue;
    __atomic_store_n(&watch_uses[fn], wanted[fn], __ATOMIC_RELEASE);
    apply(fn);
  }
  unmap_memory(wanted, wanted_bytes);
  return 0;
}

void watch_leave(void) {
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++)
    if (watch_uses[fn]) __atomic_store_n(&watch_uses[fn], 0, __ATOMIC_RELEASE);
}
