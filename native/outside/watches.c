/* See watches.h. */
#include "watches.h"
#include "probes.h"
#include "tables.h"
#include "target/area.h"
#include <errno.h>
#include <string.h>

/* By function: its set, plus 1. */
static u16 watched[RECORD_MAX_FUNCTIONS];

int watches_set(struct watch_rows *rows) {
  if (!watches_are_sound(rows->watches, rows->count, rows->sets, rows->set_count)) return EINVAL;
  for (u32 i = 0; i < rows->count; i++) {
    struct watch *watch = &rows->watches[i];
    if (!(watch->form & PROBE_IS_CHECK)) continue;
    watch->where = probes_row(watch->where);
    if (watch->where == MOST_PROBES) return EINVAL;
  }
  memset(watched, 0, sizeof watched);
  for (u32 i = 0; i < rows->function_count; i++) {
    u32 fn = rows->functions[2 * i], set = rows->functions[2 * i + 1];
    if (fn < RECORD_MAX_FUNCTIONS && set < rows->set_count) watched[fn] = (u16)(set + 1);
  }
  return tables_watches(rows->watches, rows->count, rows->sets, rows->set_count, watched);
}
