/* See watch.h. */
#include "watch.h"
#include "cpu.h"
#include "emit.h"
#include "plan.h"
#include "probe.h"
#include "reads.h"
#include "returning.h"
#include "watchSample.h"
#include "watches.h"

static void sample_all(u8 *slot, const struct watch_use *use, u32 at, const struct registers *r,
                       u64 entry_sp, u64 sp) {
  if (!(use->set->at & at)) return;
  reads_begin();
  for (u32 i = 0; i < use->set->count; i++) {
    const struct watch *watch = &use->table->watches[use->set->index[i]];
    if (watch->at & at && !(watch->form & PROBE_IS_CHECK))
      watch_sample(emit_now, slot, watch, at == WATCH_AT_RETURN ? WATCH_FLAG_AT_RETURN : 0, r,
                   entry_sp, sp);
  }
  reads_end();
  for (u32 i = 0; i < use->set->count; i++) {
    const struct watch *watch = &use->table->watches[use->set->index[i]];
    if (watch->at & at && watch->form & PROBE_IS_CHECK)
      probe_check(slot, watch->where, r, entry_sp, sp - 8);
  }
}

void watch_enter(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp) {
  const struct watch_use *use = watch_use_of(frame->fn);
  if (!use) return;
  frame->start = (u64)use;
  keep_arguments(frame, r);
  /* An entry that waits would be written by that. */
  if (frame->plan & PLAN_UNRECORDED) return;
  sample_all(slot, use, WATCH_AT_ENTER, r, entry_sp, sp);
}

/* Of a call that had the same watches when it began: else nothing of it was kept. */
void watch_return(u8 *slot, const struct frame *frame, u64 first, u64 second,
                  const struct registers *returned) {
  const struct watch_use *use = watch_use_of(frame->fn);
  if (!use || frame->start != (u64)use) return;
  u64 sp = (u64)frame + FRAME_BYTES;
  struct registers r;
  return_registers(&r, frame, first, second, returned);
  sample_all(slot, use, WATCH_AT_RETURN, &r, sp, sp);
}
