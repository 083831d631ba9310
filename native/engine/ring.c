/* Writing records: everything the assembler's fast path does not do itself. Runs inside traced
 * functions and signal handlers: no libc, no locks, general registers only. */
#include "ring.h"
#include "captureText.h"
#include "captureValue.h"
#include "counted.h"
#include "cpu.h"
#include "emit.h"
#include "outcome.h"
#include "plan.h"
#include "pool.h"
#include "raw.h"
#include "readSafely.h"
#include "reads.h"
#include "returning.h"
#include "ringFile.h"
#include "rings.h"
#include "scratch.h"
#include "tables.h"
#include "thread.h"
#include "waiting.h"
#include "walk.h"
#include "watch.h"

void ring_returned(void) {
  u8 *slot = thread_slot();
  if (!slot) return;
  if (*(volatile u32 *)(slot + SLOT_ASLEEP)) ring_file_wake(slot);
  if (!((*(u64 *)(slot + SLOT_POSITION) - RECORD_BYTES) & HOT_CHECK_MASK)) engine_check_hot();
}

static inline u32 capture(u64 *words, u32 room, const struct plan *plan, const struct registers *r,
                          u64 sp) {
  const u64 *stack = (const u64 *)(sp + STACK_ARGUMENTS), *op = plan->ops,
            *end = op + plan->op_count;
  u32 used = 0;
  for (; op < end && used < room; op++) {
    u32 index = *op >> 8 & 0xff;
    if ((*op & 0xff) == CAPTURE_INTEGER && index < INTEGER_REGISTERS)
      words[used++] = r->integer[index];
    else if ((*op & 0xff) == CAPTURE_STRING_INTEGER && index < INTEGER_REGISTERS)
      used = capture_string(words, used, room, r->integer[index], *op >> 16 & 0xffff);
    else used = capture_value(words, used, room, *op, r, stack);
  }
  return used;
}

void ring_record(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp,
                 int may_wait) {
  u32 fn = frame->fn;
  const struct plan *plan = &engine_plans[fn];
  u64 start = timestamp();
  u32 room = plan->payload_words;
  int is_apart = takes_scratch(room);
  u64 near[is_apart ? 1 : room], *words = is_apart ? (u64 *)(slot + SLOT_SCRATCH) : near;
  if (plan->reads_memory) reads_begin_at_once(start);
  u32 count = capture(words, room, plan, r, entry_sp);
  if (plan->reads_memory) reads_end();
  if (may_wait && counted_waits(fn) && waiting_add(slot, fn, start, sp, words, count)) {
    keep_arguments(frame, r);
    frame->plan = (frame->plan & ~PLAN_GENERAL) | PLAN_UNRECORDED | PLAN_COUNTED;
  } else {
    waiting_write(slot);
    emit(slot, EVENT_ENTER, fn, start, sp, words, count);
  }
  if (is_apart) engine_thread.in_scratch = 0;
  watch_enter(slot, frame, r, entry_sp, sp);
  if (plan->return_kind == RETURN_FILLED) outcome_keep(frame, plan->return_op, r);
}

/* Whether this process recorded the entry of the frame's call. */
static int is_recorded(const struct frame *frame) {
  u32 differs = frame->plan ^ (u32)engine_process.frame_epoch;
  return !(differs & (PLAN_UNRECORDED | PLAN_EPOCH_MASK));
}

/* Whether this process counted the entry of the frame's call in place of recording it. */
static int is_counted(const struct frame *frame) {
  u32 differs = frame->plan ^ (u32)engine_process.frame_epoch,
      all = PLAN_UNRECORDED | PLAN_COUNTED | PLAN_GENERAL;
  return (differs & (all | PLAN_EPOCH_MASK)) == all;
}

/* Whether the entry of the frame's call waits, or did. */
static int has_waited(const struct frame *frame) {
  u32 differs = frame->plan ^ (u32)engine_process.frame_epoch, two = PLAN_UNRECORDED | PLAN_COUNTED;
  return (differs & (two | PLAN_GENERAL | PLAN_EPOCH_MASK)) == two;
}

/* A call ends without a result. */
static void end_call(u8 *slot, u32 kind, const struct frame *frame, u64 sp) {
  if (is_recorded(frame) || (has_waited(frame) && waiting_end(slot, frame->fn, sp, 1)))
    emit_now(slot, kind, frame->fn, sp, 0, 0);
  else if (is_counted(frame)) counted_end(slot, frame);
}

/* Records an entry or counts it, and writes into its frame which. `has_end`: whether the end of the
 * call will be seen. */
static void take_entry(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp,
                       u64 sp, int has_end) {
  u32 plan = frame->plan, is_filtered = plan & PLAN_FILTERED;
  frame->plan &= ~PLAN_FILTERED;
  if (is_filtered && !counted_wants(frame->fn, r, entry_sp)) return counted_pass(slot, frame);
  if (plan & PLAN_COUNTED && !counted_enter(slot, frame)) return;
  if (is_filtered && has_end && counted_is_too_deep(slot, frame->fn, sp))
    return counted_pass(slot, frame);
  ring_record(slot, frame, r, entry_sp, sp, is_filtered && has_end);
}

/* Of a function whose stack arguments are not known so many bytes may be more than there is: where
 * they are on another page than its return address, the stack may have ended. */
static void copy_stack(u8 *to, u64 from, u32 bytes) {
  u32 sure = 4096 - ((u32)(from - STACK_ARGUMENTS) & 4095) - STACK_ARGUMENTS;
  if (bytes < STACK_COPY_MAX || sure > bytes || engine_sandboxed) sure = bytes;
  copy_bytes(to, (const void *)from, sure);
  if (sure == bytes) return;
  reads_begin();
  read_quickly(to + sure, from + sure, bytes - sure);
  reads_end();
}

u32 ring_enter(struct registers *r, struct frame *frame, u8 *copy) {
  u64 sp = (u64)frame + FRAME_BYTES;
  u32 fn = frame->fn;
  struct frame *above = frame_above(frame);
  u8 *slot = thread_slot();
  if (!slot) slot = thread_claim();
  frame->plan = (frame->plan & ~PLAN_EPOCH_MASK) | (u32)engine_process.frame_epoch;
  u32 unseen = (frame->plan & ~PLAN_COUNTED) | PLAN_UNRECORDED;
  if (above) {
    u64 above_sp = (u64)above + FRAME_BYTES;
    if (slot) end_call(slot, EVENT_TAIL, above, above_sp);
    if (!slot) frame->plan = unseen;
    else take_entry(slot, frame, r, sp, above_sp, 1);
    above->fn = fn;
    above->plan = engine_plans[fn].stack_bytes == ARM_OPEN_STACK ? unseen : frame->plan;
    above->target = frame->target;
    above->start = frame->start;
    copy_words(above->saved, (const u8 *)frame->saved, sizeof above->saved);
    return 1;
  }
  u32 bytes = engine_plans[fn].stack_bytes;
  if (!slot) frame->plan = unseen;
  else take_entry(slot, frame, r, sp, sp, bytes != ARM_OPEN_STACK);
  /* Only its caller knows what it was passed: nothing may come between. */
  if (bytes == ARM_OPEN_STACK) return 1;
  if (copy) {
    /* An earlier frame may have lain there, and the unwinder comes by (engine_personality). */
    ((struct frame *)copy)->target = 0;
    copy_stack(copy, sp + STACK_ARGUMENTS, bytes > STACK_COPY_MAX ? STACK_COPY_MAX : bytes);
  }
  return 0;
}

/* The register of an operation that means where the caller wants the result. */
#define CALLERS_RESULT 8

/* What a function returned, as registers of parameters: see captureReturn. */
static u32 capture_returned_walk(u64 *words, u32 room, u64 op, const struct registers *r,
                                 u64 address, u64 second) {
  struct registers returned = {.integer = {address, second}};
  for (u32 i = 0; i < RETURNED_VECTORS; i++) returned.vector[i] = r->vector[i];
  u32 is_long_double = (op & 0xff) == CAPTURE_WALK_REGISTERS && (op >> 8 & 15) == 2;
  if (!is_long_double) return capture_walk(words, 0, room, op, &returned, 0);
  u8 real[16] = {0};
  long_double_result(real);
  return walk_value(words, 0, room, op >> 32 & 0xfffff, real, 0, 16);
}

/* Whether a call whose entry waited is recorded, now that it returns. */
static int is_wanted(u8 *slot, const struct frame *frame, u64 first, u64 second,
                     const struct registers *r) {
  struct registers returning;
  u64 sp = (u64)frame + FRAME_BYTES;
  return_registers(&returning, frame, first, second, r);
  return waiting_end(slot, frame->fn, sp, counted_returns(frame->fn, &returning, sp));
}

void ring_return(u64 address, struct frame *frame, u64 second, const struct registers *r) {
  u8 *slot = thread_slot();
  const struct plan *plan = &engine_plans[frame->fn];
  if (has_waited(frame) && !is_wanted(slot, frame, address, second, r)) return;
  if (!(frame->plan & PLAN_STRING_RETURN)) {
    u64 word = frame->plan & PLAN_FLOAT_RETURN ? r->vector[0] : address;
    emit_now(slot, EVENT_RETURN, frame->fn, (u64)frame + FRAME_BYTES, &word, 1);
    return;
  }
  u64 op = plan->return_op;
  u32 is_walk = plan->return_kind == RETURN_WALK, where = (u32)(op >> 32);
  u32 limit = is_walk ? op >> 16 & 0xffff : plan->string_bytes;
  u32 room = 2 + (limit + 8) / 8;
  if (room > MOST_PAYLOAD_WORDS) room = MOST_PAYLOAD_WORDS;
  int is_apart = takes_scratch(room);
  u64 near[is_apart ? 1 : room], *words = is_apart ? (u64 *)(slot + SLOT_SCRATCH) : near;
  u32 count = 1;
  u64 result = address;
  int is_callers = (op >> 8 & 0xff) == CALLERS_RESULT && (op & 0xff) != CAPTURE_WALK_REGISTERS;
  if (is_callers) address = callers_result(frame);
  watch_return(slot, frame, result, second, r);
  reads_begin_at_once(timestamp());
  if (plan->return_kind < RETURN_STRING)
    words[0] = plan->return_kind == RETURN_FLOAT ? r->vector[0] : address;
  else if (plan->return_kind == RETURN_OUTCOME) words[0] = outcome_word(result);
  else if (plan->return_kind == RETURN_FILLED)
    count = outcome_filled(words, room, op, frame, result, limit);
  else if (is_walk) count = capture_returned_walk(words, room, op, r, address, second);
  else if (plan->return_kind == RETURN_HELD)
    count = capture_object(words, 0, room, address, where, limit);
  else if (plan->return_kind == RETURN_HELD_PAIR) {
    int swapped = (where & 0xfff) != 0;
    u64 first = swapped ? second : address, length = swapped ? address : second;
    count = capture_held(words, 0, room, first, length, where >> 24, limit, 0);
  } else count = capture_string(words, 0, room, address, limit);
  reads_end();
  emit_now(slot, EVENT_RETURN, frame->fn, (u64)frame + FRAME_BYTES, words, count);
  if (is_apart) engine_thread.in_scratch = 0;
}

static u64 (*get_cfa)(void *context);

/* Hands in the unwinder's _Unwind_GetCFA. */
EXPORT void engine_set_unwinder(u64 (*function)(void *)) { get_cfa = function; }

static int is_frame(struct frame *frame, u64 at) {
  if (read_safely(frame, at, sizeof *frame) != sizeof *frame) return 0;
  return frame->target && frame->fn < RECORD_MAX_FUNCTIONS &&
         frame->target == RELAXED(engine_targets[frame->fn]);
}

/* The unwinder's CFA is the stack pointer at the call: the frame itself, or the copied stack
 * arguments below it. */
int engine_personality(int version, int actions, u64 class, void *exception, void *context) {
  const int cleanup_phase = 2, continue_unwind = 8, fatal = 3;
  (void)class;
  (void)exception;
  if (version != 1) return fatal;
  u8 *slot = thread_slot();
  if (!(actions & cleanup_phase) || !slot) return continue_unwind;
  struct frame frame;
  u64 at = 0;
  /* A program may hide its own unwinder (-static-libgcc): what is read there counts only if it
   * leads to a frame of ours. */
  if (get_cfa) at = get_cfa(context);
  else if (read_safely(&at, (u64)context + GCC_CONTEXT_CFA, 8) != 8) return continue_unwind;
  if (!is_frame(&frame, at) && !is_frame(&frame, at += STACK_COPY_MAX)) return continue_unwind;
  end_call(slot, EVENT_UNWOUND, &frame, at + FRAME_BYTES);
  return continue_unwind;
}
