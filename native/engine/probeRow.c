/* See probeRow.h. */
#include "probeRow.h"
#include "cpu.h"
#include "plan.h"

static u32 words_of(const struct watch *value) {
  if (value->form & WATCH_FLAG_TREE) return WATCH_TREE_WORDS;
  return value->form & WATCH_FLAG_TEXT ? 2 + value->limit / 8 : 1;
}

static int is_sound(const struct probe_row *row) {
  if (row->fn >= RECORD_MAX_FUNCTIONS || row->words > PROBE_MAX_WORDS) return 0;
  if (row->values > PROBE_MAX_VALUES || row->check > RECORD_MAX_FUNCTIONS) return 0;
  for (u32 i = 0; i < row->values; i++)
    if (row->value[i].words > WATCH_MAX_WORDS || row->value[i].limit > WATCH_TREE_WORDS * 8)
      return 0;
  return 1;
}

int probe_fill(struct probe *probe, const u8 *row) {
  const u32 more = PROBE_IS_NUMBER | WATCH_FLAG_TREE | WATCH_FLAG_TEXT;
  if (!is_sound((const struct probe_row *)row)) return 0;
  copy_bytes(&probe->row, row, sizeof probe->row);
  probe->condition = quick_of(probe->row.code, probe->row.words);
  probe->room = 0;
  for (u32 i = 0; i < probe->row.values; i++) {
    const struct watch *value = &probe->row.value[i];
    probe->room += words_of(value);
    probe->value[i] = quick_of(value->code, value->words);
    probe->is_plain[i] = probe->value[i].operands == 1 && !(value->form & more);
  }
  if (probe->room >= MOST_PAYLOAD_WORDS) probe->room = MOST_PAYLOAD_WORDS - 1;
  if (!probe->room) probe->room = 1;
  return 1;
}
