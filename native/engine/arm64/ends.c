/* The end of a call, see pool.S: whether it is to be recorded at all. */
#include "../counted.h"
#include "../cpu.h"
#include "../plan.h"
#include "../ring.h"
#include "../rings.h"
#include "../tables.h"

/* `r`: what the function left. */
void call_ends(const struct registers *r, struct frame *frame) {
  u8 *slot = thread_slot();
  u32 plan = frame->plan;
  if (!slot || (plan ^ (u32)engine_process.frame_epoch) & PLAN_EPOCH_MASK) return;
  if (plan & PLAN_UNRECORDED) {
    if (!(plan & PLAN_COUNTED)) return;
    if (plan & PLAN_GENERAL) {
      counted_end(slot, frame);
      return;
    }
  }
  ring_return(r->integer[0], frame, r->integer[1], r);
}
