/* See probeValues.h. Runs at any statement of a program: no libc, no locks, general registers only.
 */
#include "probeValues.h"
#include "captureText.h"
#include "condition.h"
#include "cpu.h"
#include "raw.h"
#include "walk.h"

/* What is said of a number that could not be read or computed. */
static u32 put_unknown(u64 *words, u32 used) {
  put_header(&words[used], 0, STRING_UNREADABLE);
  return used + 1;
}

/* What the code leaves, in the copies perhaps. Returns 0 where that is not known. */
static inline int value_of(const struct quick *quick, const u64 *code, u32 words,
                           const struct probe_place *place, u64 *copies, u64 *number) {
  u64 address = 0;
  if (quick->operands)
    return quick_value(quick, (const u64 *)(place->sp + STACK_ARGUMENTS), number);
  return condition_value(code, words, place->r, place->sp, copies, number, &address);
}

u32 probe_put_value(const struct probe *probe, u32 index, const struct probe_place *place,
                    u64 *words, u32 used) {
  const struct watch *value = &probe->row.value[index];
  u64 copies[CONDITION_COPY_WORDS], number = 0;
  u32 room = probe->room;
  if (used >= room) return used;
  if (!value_of(&probe->value[index], value->code, value->words, place, copies, &number))
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

int probe_condition(const struct probe *probe, const struct probe_place *place, u64 *number) {
  u64 copies[CONDITION_COPY_WORDS];
  const struct probe_row *row = &probe->row;
  return value_of(&probe->condition, row->code, row->words, place, copies, number);
}

int probe_is_next(struct probe *probe) {
  const struct probe_row *row = &probe->row;
  u64 met = __atomic_add_fetch(&probe->met, 1, __ATOMIC_RELAXED);
  if (met <= row->after) return 0;
  u64 nth = met - row->after, every = row->every ? row->every : 1;
  return nth % every == 0 && (!row->most || nth / every <= row->most);
}

int probe_breaks(const struct probe *probe, struct probe_place *place, u8 *state, int *holds) {
  u64 number = 0;
  int is_known = probe_condition(probe, place, &number);
  u8 now = !is_known ? INVARIANT_NOT_KNOWN : number ? INVARIANT_HOLDS : INVARIANT_BROKEN;
  u8 before = RELAXED(*state);
  place->is_undecided = !is_known;
  if (before != now) before = __atomic_exchange_n(state, now, __ATOMIC_RELAXED);
  *holds = now == INVARIANT_HOLDS;
  return !*holds && before != now;
}
