/* What is asked at a hit: the condition and the values of a probe. */
#ifndef STROBE_PROBE_VALUES_H
#define STROBE_PROBE_VALUES_H

#include "probeRow.h"

/* What the condition is. Returns 0 where that is not known. */
int probe_condition(const struct probe *probe, const struct probe_place *place, u64 *number);
/* Counts a hit that meets the condition: whether `after`, `every` and `most` mean it. */
int probe_is_next(struct probe *probe);

/* Whether a hit is wanted, also where its condition is not known, which the place says from then
 * on. */
static inline int probe_is_met(const struct probe *probe, struct probe_place *place) {
  u64 number = 0;
  if (!probe->row.words) return 1;
  if (probe_condition(probe, place, &number)) return number != 0;
  place->is_undecided = 1;
  return 1;
}

/* Whether a hit that meets the condition is one of those that are wanted. */
static inline int probe_is_due(struct probe *probe) {
  const struct probe_row *row = &probe->row;
  return !(row->after | row->every | row->most) || probe_is_next(probe);
}

/* Puts a value into `words` from `used` on. Returns how many words are used then. */
u32 probe_put_value(const struct probe *probe, u32 index, const struct probe_place *place,
                    u64 *words, u32 used);

/* Puts all values into `words`, where there is room for `probe->room` and one more. Returns how
 * many words are used. Most values are a number in the frame, or in a register. */
static inline u32 probe_values(const struct probe *probe, const struct probe_place *place,
                               u64 *words) {
  const u64 *registers = (const u64 *)(place->sp + STACK_ARGUMENTS);
  u32 used = 0;
  for (u32 i = 0; i < probe->row.values; i++) {
    const struct operand *plain = &probe->value[i].of[0];
    int is_put =
        probe->is_plain[i] && used < probe->room && operand_value(plain, registers, &words[used]);
    used = is_put ? used + 1 : probe_put_value(probe, i, place, words, used);
  }
  if (place->is_undecided) words[used++] = PROBE_UNDECIDED;
  return used;
}

/* Asks an invariant, whose places share its `state`: whether the hit is recorded, as it does not
 * hold any longer, or is not known, which the place says from then on. The first thread that sees
 * it says so. `holds`: whether it does. */
int probe_breaks(const struct probe *probe, struct probe_place *place, u8 *state, int *holds);

#endif
