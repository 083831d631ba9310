/* See watch.h. */
#include "watch.h"
#include "captureText.h"
#include "condition.h"
#include "cpu.h"
#include "emit.h"
#include "plan.h"
#include "probe.h"
#include "reads.h"
#include "returning.h"
#include "walk.h"
#include "watches.h"

/* Not in `sample`'s own frame: most samples are small, and the stack the program's. */
static __attribute__((noinline)) void sample_tree(u8 *slot, const struct watch *watch, u32 tag,
                                                  u64 address, u64 sp) {
  u64 words[WATCH_TREE_WORDS];
  words[0] = address;
  u32 count = walk_value(words, 1, WATCH_TREE_WORDS, watch->where, 0, address, watch->limit);
  emit_now(slot, EVENT_WATCH, tag, sp, words, count);
}

static void sample(u8 *slot, const struct watch *watch, u32 flags, const struct registers *r,
                   u64 entry_sp, u64 sp) {
  u64 words[WATCH_TEXT_WORDS + 3], copies[CONDITION_COPY_WORDS], number = 0, address = 0;
  u32 count = 1;
  int is_known = condition_value(watch->code, watch->words, r, entry_sp, copies, &number, &address);
  flags |= watch->form & (WATCH_FLAG_ADDRESS | WATCH_FLAG_TEXT | WATCH_FLAG_TREE);
  if (!is_known) {
    flags = (flags & WATCH_FLAG_AT_RETURN) | WATCH_FLAG_UNREADABLE;
    words[0] = address;
  } else if (watch->form & WATCH_FLAG_TREE) {
    return sample_tree(slot, watch, watch->number | flags << WATCH_NUMBER_BITS, number, sp);
  } else if (watch->form & WATCH_FLAG_TEXT) {
    words[0] = watch->where ? number : address;
    count = capture_text(words, 1, WATCH_TEXT_WORDS + 3, number, watch->where, watch->limit);
  } else {
    words[0] = number;
    words[1] = address;
    if (flags & WATCH_FLAG_ADDRESS) count = 2;
  }
  emit_now(slot, EVENT_WATCH, watch->number | flags << WATCH_NUMBER_BITS, sp, words, count);
}

static void sample_all(u8 *slot, const struct watch_use *use, u32 at, const struct registers *r,
                       u64 entry_sp, u64 sp) {
  if (!(use->set->at & at)) return;
  reads_begin();
  for (u32 i = 0; i < use->set->count; i++) {
    const struct watch *watch = &use->table->watches[use->set->index[i]];
    if (watch->at & at && !(watch->form & PROBE_IS_CHECK))
      sample(slot, watch, at == WATCH_AT_RETURN ? WATCH_FLAG_AT_RETURN : 0, r, entry_sp, sp);
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
