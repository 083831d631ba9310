/* See watch.h. The rows are written by the tracer while no thread of the program runs; one may have
 * been stopped in the middle of what reads them, which stays within its bounds with any words. */
#include "watch.h"
#include "../../engine/watchSample.c"
#include "../../engine/watchSample.h"
#include "hit.h"
#include "write.h"

struct watch outside_watches[WATCH_MOST_WATCHES] __attribute__((visibility("hidden")));
struct watch_set outside_watch_sets[WATCH_MOST_WATCHES] __attribute__((visibility("hidden")));
u16 outside_watched[RECORD_MAX_FUNCTIONS];

static const struct watch_set *set_of(u32 fn) {
  return &outside_watch_sets[(u32)(outside_watched[fn] - 1) % WATCH_MOST_WATCHES];
}

/* Null: there is none of that number. */
static const struct watch *watch_of(const struct watch_set *set, u32 number) {
  if (number >= set->count || number >= WATCH_MOST) return 0;
  return &outside_watches[set->index[number] % WATCH_MOST_WATCHES];
}

int watch_asks(u32 fn, u32 at) { return (set_of(fn)->at & at) != 0; }

void watch_look(u8 *slot, u32 fn, u32 at, const struct probe_place *where, u64 place) {
  const struct watch_set *set = set_of(fn);
  u32 flags = at == WATCH_AT_RETURN ? WATCH_FLAG_AT_RETURN : 0;
  const struct watch *watch;
  for (u32 i = 0; (watch = watch_of(set, i)); i++)
    if (watch->at & at && !(watch->form & PROBE_IS_CHECK))
      watch_sample(write_record, slot, watch, flags, where->r, where->sp, place);
}

struct probe *watch_check(u32 fn, u32 at, u32 *next) {
  const struct watch_set *set = set_of(fn);
  const struct watch *watch;
  while ((watch = watch_of(set, (*next)++))) {
    struct probe *probe = &outside_probes[watch->where % MOST_PROBES];
    if (watch->at & at && watch->form & PROBE_IS_CHECK && probe->row.check) return probe;
  }
  return 0;
}
