/* Leaving a process that lives on: nothing is recorded any more, and a later start begins anew. A
 * thread may be in the middle of a record, for as long as it likes: where it writes stays readable
 * and writable for ever. */
#include "counted.h"
#include "crash.h"
#include "definitions.h"
#include "exceptions.h"
#include "forked.h"
#include "guard.h"
#include "maps.h"
#include "probe.h"
#include "ringFile.h"
#include "ringSpace.h"
#include "rings.h"
#include "tables.h"
#include "tap.h"
#include "traps.h"
#include "watches.h"

/* To be called when no hook is armed any more. */
EXPORT void engine_leave(void) {
  u64 epoch = engine_process.epoch;
  if (!epoch) return;
  forked_leave();
  guard_end();
  definitions_leave(epoch);
  counted_leave();
  watch_leave();
  probes_leave();
  traps_leave();
  tap_close();
  crash_close();
  exceptions_close();
  u32 used = *(u32 *)(engine_file.base + FILE_USED_SLOTS);
  for (u32 i = 0; i < used && i < engine_file.slot_count; i++) {
    u32 live = SLOT_STATE_LIVE,
        *state = (u32 *)(engine_file.base + FILE_BYTES + engine_file.stride * i + SLOT_STATE);
    __atomic_compare_exchange_n(state, &live, SLOT_STATE_ENDED, 0, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
  }
  ring_space_settle();
  ring_space_leave(ring_file_head_bytes(), 0);
  engine_file.left_bytes = FILE_BYTES + engine_file.stride * engine_file.slot_count;
}

/* Memory the instrumentation took to come in stays behind when it goes, as only its own last thread
 * could give it back. When it comes again, that thread has ended. */
EXPORT void engine_exchange_scratch(void *at, u64 bytes) {
  static void *scratch;
  static u64 scratch_bytes;
  if (scratch) unmap_memory(scratch, scratch_bytes);
  scratch = at;
  scratch_bytes = bytes;
}
