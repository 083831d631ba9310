/* See hit.h. */
#include "hit.h"
#include "../../engine/probeValues.c"
#include "../../engine/probeValues.h"
#include "counted.h"

struct probe outside_probes[MOST_PROBES];
/* By the number that the rows of an invariant share. */
static u8 invariants[RECORD_MAX_FUNCTIONS];

int hit_is_wanted(u8 *slot, struct probe *probe, struct probe_place *place, int is_meant) {
  u32 fn = probe->row.fn, check = (u32)probe->row.check;
  int holds = 0;
  if (check) {
    if (!is_meant) return 0;
    int breaks =
        probe_breaks(probe, place, &invariants[(check - 1) % RECORD_MAX_FUNCTIONS], &holds);
    if (!breaks) counted_hit(slot, fn, holds);
    return breaks;
  }
  int is_wanted = is_meant && probe_is_met(probe, place) && probe_is_due(probe);
  if (!is_wanted) counted_hit(slot, fn, 1);
  return is_wanted && !counted_passes_hit(slot, fn);
}
