/* Writing records: everything the assembler's fast path does not do itself. Runs inside traced
 * functions and signal handlers: no libc, no locks, general registers only. */
#include "raw.h"
#include "walk.h"

struct plan engine_plans[RECORD_MAX_FUNCTIONS];
u32 engine_pid;

#define MAX_PAYLOAD_WORDS 512
#define SHORT_TEXT 32
#define HELD_COUNT_MAX 0x10000000000ul
#define HELD_LENGTH_MAX 0x1ffffffful

void ring_emit(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count) {
  u32 mask = engine_mask;
  u32 more = count <= 1 ? 0 : (count - 1 + 2) / 3;
  u64 position = (u64)RECORD_BYTES * (1 + more);
  __asm__ volatile("xaddq %0, %1" : "+r"(position), "+m"(*(u64 *)(slot + SLOT_POSITION)) : : "memory");
  __asm__ volatile("incq %0" : "+m"(*(u64 *)(slot + SLOT_EVENTS)));
  volatile u64 *head = (volatile u64 *)(slot + SLOT_BYTES + (position & mask));
  head[0] = timestamp();
  head[1] = sp;
  head[2] = count ? words[0] : 0;
  ((volatile u32 *)head)[6] = fn | more << RECORD_FUNCTION_BITS;
  u32 next = 1;
  for (u32 i = 1; i <= more; i++) {
    u64 at = position + (u64)RECORD_BYTES * i;
    volatile u64 *row = (volatile u64 *)(slot + SLOT_BYTES + (at & mask));
    for (u32 k = 0; k < 3; k++, next++) row[k] = next < count ? words[next] : 0;
    ((volatile u32 *)row)[7] = (u32)at | EVENT_MORE;
  }
  ((volatile u32 *)head)[7] = (u32)position | kind;
  if (*(volatile u32 *)(slot + SLOT_ASLEEP)) ring_file_wake(slot);
}

/* The end of a call that the fast path recorded in a slot whose reader sleeps. */
void ring_return_wakes(void) {
  u8 *slot = thread_slot();
  if (slot) ring_file_wake(slot);
}

/* Appends a C string: u32 bytes, u32 flags, the bytes, zeros up to 8. Returns the new count of
 * words; `room` words are there. */
static u32 capture_string(u64 *words, u32 used, u32 room, u64 address, u32 limit) {
  if (used >= room) return used;
  u32 *header = (u32 *)&words[used];
  header[0] = 0;
  header[1] = 0;
  if (address == 0) {
    header[1] = STRING_IS_NULL;
    return used + 1;
  }
  u8 *text = (u8 *)&words[used + 1];
  u32 space = (room - used - 1) * 8;
  if (limit >= space) limit = space ? space - 1 : 0;
  u32 got = (u32)read_safely(text, address, limit + 1);
  u32 length = 0;
  while (length < got && length < limit && text[length]) length++;
  if (length == got) header[1] = STRING_UNREADABLE | (got ? STRING_TRUNCATED : 0);
  else if (text[length]) header[1] = STRING_TRUNCATED;
  header[0] = length;
  u32 padded = (length + 7) & ~7u;
  for (u32 i = length; i < padded; i++) text[i] = 0;
  return used + 1 + padded / 8;
}

/* What lies at `address`, at most `limit` bytes of `length`; `copy`: the same, known to be readable. */
static u32 capture_bytes(u64 *words, u32 used, u32 room, u64 address, u64 length, u32 limit,
                         const u8 *copy) {
  if (used >= room) return used;
  u32 *header = (u32 *)&words[used];
  u8 *to = (u8 *)&words[used + 1];
  u32 space = (room - used - 1) * 8;
  u32 wanted = limit < space ? limit : space;
  u32 flags = 0;
  if (length < wanted) wanted = (u32)length;
  else if (length > wanted) flags = STRING_TRUNCATED;
  u32 got = wanted;
  if (copy && length <= wanted) copy_bytes(to, copy, wanted);
  else if (wanted) got = (u32)read_safely(to, address, wanted);
  if (got < wanted) flags |= STRING_TRUNCATED | STRING_UNREADABLE;
  u64 known = length < HELD_LENGTH_MAX ? length : HELD_LENGTH_MAX;
  header[0] = got;
  header[1] = flags | (u32)known << STRING_LENGTH_SHIFT;
  u32 padded = (got + 7) & ~7u;
  for (u32 i = got; i < padded; i++) to[i] = 0;
  return used + 1 + padded / 8;
}

static u32 unreadable(u64 *words, u32 used, u32 room, u32 flags) {
  if (used >= room) return used;
  words[used] = (u64)flags << 32;
  return used + 1;
}

/* What an object holds whose first words are known. */
static u32 capture_held(u64 *words, u32 used, u32 room, u64 first, u64 count, u32 unit, u32 limit,
                        const u8 *copy) {
  u64 length = unit ? count * unit : count - first;
  /* Never made, or destroyed: no object has such a length. */
  if (count > HELD_COUNT_MAX && unit) return unreadable(words, used, room, STRING_UNREADABLE);
  if (!unit && (count < first || length > HELD_COUNT_MAX))
    return unreadable(words, used, room, STRING_UNREADABLE);
  return capture_bytes(words, used, room, first, length, limit, copy);
}

/* What the object at `address` holds. */
static u32 capture_object(u64 *words, u32 used, u32 room, u64 address, u32 where, u32 limit) {
  u32 pointer_at = where & 0xfff, length_at = where >> 12 & 0xfff;
  if (!address) return unreadable(words, used, room, STRING_IS_NULL);
  u32 low = pointer_at < length_at ? pointer_at : length_at;
  u32 high = (pointer_at < length_at ? length_at : pointer_at) + 8;
  u8 window[128];
  if (high - low > sizeof window - SHORT_TEXT) return unreadable(words, used, room, STRING_UNREADABLE);
  u64 start = address + low, got = read_safely(window, start, high - low + SHORT_TEXT);
  if (got < high - low) return unreadable(words, used, room, STRING_UNREADABLE);
  u64 first = *(u64 *)(window + pointer_at - low), count = *(u64 *)(window + length_at - low);
  /* Short text lies in the object itself. */
  int is_inside = where >> 24 == 1 && first >= start && count <= got && first + count <= start + got;
  return capture_held(words, used, room, first, count, where >> 24, limit,
                      is_inside ? window + (first - start) : 0);
}

/* Bytes of a value that was passed in up to two registers, those of the second from `second` on. */
static void gather(u8 bytes[32], u32 index, u32 second, const struct registers *r) {
  for (u32 i = 0; i < 2; i++) {
    u32 from = index >> 4 * i & 15;
    u64 word = from >= 8 ? r->xmm[from - 8] : from < 6 ? r->integer[from] : 0;
    if (!i || from != 6) copy_bytes(bytes + (i ? second : 0), &word, 8);
  }
}

static u32 capture_walk(u64 *words, u32 used, u32 room, u64 op, const struct registers *r, const u64 *stack) {
  u32 index = op >> 8 & 0xff, size = op >> 16 & 0xffff;
  u32 program = op >> 32 & 0xfffff, bytes = (u32)(op >> 52);
  u32 most = used + 1 + size / 8;
  if (most < room) room = most;
  u8 gathered[32] = {0};
  switch (op & 0xff) {
    case CAPTURE_WALK_REGISTERS:
      gather(gathered, index, bytes >> 5 & 15, r);
      return walk_value(words, used, room, program, gathered, 0, bytes & 31);
    case CAPTURE_WALK_STACK:
      return walk_value(words, used, room, program, (const u8 *)&stack[index], (u64)&stack[index], bytes);
    case CAPTURE_WALK_INTEGER:
      return walk_value(words, used, room, program, 0, r->integer[index < 6 ? index : 0], bytes);
    default: return walk_value(words, used, room, program, 0, stack[index], bytes);
  }
}

static u32 capture(u64 *words, u32 room, const struct plan *plan, const struct registers *r, u64 sp) {
  const u64 *stack = (const u64 *)(sp + 8);
  u32 used = 0;
  u32 count = plan->op_count;
  for (u32 i = 0; i < count && i < RECORD_MAX_OPS && used < room; i++) {
    u64 op = plan->ops[i];
    u32 index = op >> 8 & 0xff, size = op >> 16 & 0xffff, where = (u32)(op >> 32);
    u64 integer = r->integer[index < 6 ? index : 0];
    switch (op & 0xff) {
      case CAPTURE_INTEGER: words[used++] = integer; break;
      case CAPTURE_FLOAT: words[used++] = r->xmm[index & 7]; break;
      case CAPTURE_STACK: words[used++] = stack[index]; break;
      case CAPTURE_STRING_INTEGER:
        used = capture_string(words, used, room, integer, size);
        break;
      case CAPTURE_STRING_STACK:
        used = capture_string(words, used, room, stack[index], size);
        break;
      case CAPTURE_HELD_INTEGER:
        used = capture_object(words, used, room, integer, where, size);
        break;
      case CAPTURE_HELD_STACK:
        used = capture_object(words, used, room, stack[index], where, size);
        break;
      case CAPTURE_WALK_REGISTERS:
      case CAPTURE_WALK_STACK:
      case CAPTURE_WALK_INTEGER:
      case CAPTURE_WALK_ADDRESS:
        used = capture_walk(words, used, room, op, r, stack);
        break;
      case CAPTURE_HELD_PAIR: {
        u32 length_in = where & 0xfff;
        u64 count = r->integer[length_in < 6 ? length_in : 0];
        used = capture_held(words, used, room, integer, count, where >> 24, size, 0);
        break;
      }
    }
  }
  return used;
}

static void record_enter(u8 *slot, u32 fn, const struct registers *r, u64 entry_sp, u64 sp) {
  const struct plan *plan = &engine_plans[fn];
  u32 room = plan->payload_words;
  if (room > MAX_PAYLOAD_WORDS) room = MAX_PAYLOAD_WORDS;
  u64 words[room ? room : 1], before = *(u64 *)(slot + SLOT_POSITION);
  ring_emit(slot, EVENT_ENTER, fn, sp, words, capture(words, room, plan, r, entry_sp));
  if ((*(u64 *)(slot + SLOT_POSITION) ^ before) & HOT_CHECK_BYTES) engine_check_hot();
}

/* Whether this process recorded the entry of the frame's call. */
static int is_recorded(const struct frame *frame) {
  u32 differs = frame->plan ^ (u32)engine_process.frame_epoch;
  return !(differs & (PLAN_UNRECORDED | PLAN_EPOCH_MASK));
}

/* Whether this process counted the entry of the frame's call in place of recording it. */
static int is_counted(const struct frame *frame) {
  u32 differs = frame->plan ^ (u32)engine_process.frame_epoch, both = PLAN_UNRECORDED | PLAN_COUNTED;
  return (differs & (both | PLAN_EPOCH_MASK)) == both;
}

/* Records an entry or counts it, and writes into its frame which. */
static void take_entry(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp) {
  u32 plan = frame->plan;
  frame->plan &= ~PLAN_FILTERED;
  if (plan & PLAN_FILTERED && !counted_wants(frame->fn, r, entry_sp)) return counted_pass(slot, frame);
  if (plan & PLAN_COUNTED && !counted_enter(slot, frame)) return;
  record_enter(slot, frame->fn, r, entry_sp, sp);
}

/* The entry of a call off the fast path. Returns 1 when the frame above is ours and is reused
 * (a tail call), else 0. `copy`, when given, takes the stack arguments. */
u32 ring_enter(struct registers *r, struct frame *frame, u8 *copy) {
  u64 sp = (u64)frame + FRAME_BYTES;
  u32 fn = frame->fn;
  u64 return_address = *(u64 *)sp;
  struct frame *above = 0;
  if (return_address == (u64)engine_return) above = (struct frame *)(sp + 8);
  else if (return_address == (u64)engine_return_stack) above = (struct frame *)frame->rbp;
  u8 *slot = thread_slot();
  if (!slot) slot = thread_claim();
  frame->plan = (frame->plan & ~PLAN_EPOCH_MASK) | (u32)engine_process.frame_epoch;
  u32 unseen = (frame->plan & ~PLAN_COUNTED) | PLAN_UNRECORDED;
  if (above) {
    u64 above_sp = (u64)above + FRAME_BYTES;
    if (slot && is_recorded(above))
      ring_emit(slot, EVENT_TAIL, above->fn, above_sp, 0, 0);
    else if (slot && is_counted(above)) counted_end(slot, above);
    if (!slot) frame->plan = unseen;
    else take_entry(slot, frame, r, sp, above_sp);
    above->fn = fn;
    above->plan = frame->plan;
    above->target = frame->target;
    above->start = frame->start;
    return 1;
  }
  if (!slot) frame->plan = unseen;
  else take_entry(slot, frame, r, sp, sp);
  if (copy) {
    u32 bytes = engine_plans[fn].stack_bytes;
    copy_bytes(copy, (const void *)(sp + 8), bytes > STACK_COPY_MAX ? STACK_COPY_MAX : bytes);
  }
  return 0;
}

/* What a function returned, as registers of parameters: see captureReturn. st0 is left as it was. */
static u32 capture_returned_walk(u64 *words, u32 room, u64 op, const struct registers *r, u64 address, u64 second) {
  struct registers returned = {.integer = {address, second}, .xmm = {r->xmm[0], r->xmm[1]}};
  u32 is_x87 = (op & 0xff) == CAPTURE_WALK_REGISTERS && (op >> 8 & 15) == 2;
  if (!is_x87) return capture_walk(words, 0, room, op, &returned, 0);
  u8 real[16] = {0};
  __asm__ volatile("fstpt %0\n\tfldt %0" : "+m"(real));
  return walk_value(words, 0, room, op >> 32 & 0xfffff, real, 0, 16);
}

/* The end of a call that returns more than a word; `address` and `second` were in rax and rdx. */
void ring_return_string(u64 address, struct frame *frame, u64 second, const struct registers *r) {
  u8 *slot = thread_slot();
  const struct plan *plan = &engine_plans[frame->fn];
  u64 op = plan->return_op;
  u32 is_walk = plan->return_kind == RETURN_WALK, where = (u32)(op >> 32);
  u32 limit = is_walk ? op >> 16 & 0xffff : plan->string_bytes;
  u32 room = 2 + (limit + 8) / 8;
  if (room > MAX_PAYLOAD_WORDS) room = MAX_PAYLOAD_WORDS;
  u64 words[room];
  u32 count;
  if (is_walk) count = capture_returned_walk(words, room, op, r, address, second);
  else if (plan->return_kind == RETURN_HELD) count = capture_object(words, 0, room, address, where, limit);
  else if (plan->return_kind == RETURN_HELD_PAIR) {
    int swapped = (where & 0xfff) != 0;
    u64 first = swapped ? second : address, length = swapped ? address : second;
    count = capture_held(words, 0, room, first, length, where >> 24, limit, 0);
  } else count = capture_string(words, 0, room, address, limit);
  ring_emit(slot, EVENT_RETURN, frame->fn, (u64)frame + FRAME_BYTES, words, count);
}

static u64 (*get_cfa)(void *context);

/* GCC's struct _Unwind_Context: 18 registers, then the CFA. For programs that hide their own
 * unwinder (-static-libgcc); what is read there counts only if it leads to a frame of ours. */
#define GCC_CONTEXT_CFA 144

/* Hands in the unwinder's _Unwind_GetCFA. */
EXPORT void engine_set_unwinder(u64 (*function)(void *)) {
  get_cfa = function;
}

static int is_frame(struct frame *frame, u64 at) {
  if (read_safely(frame, at, sizeof *frame) != sizeof *frame) return 0;
  return frame->fn < RECORD_MAX_FUNCTIONS && frame->target == engine_targets[frame->fn];
}

/* The personality of the inserted frame: marks it as left by an exception (or by a forced
 * unwind: pthread_exit, cancellation) and lets the unwinder go on. The unwinder's CFA is the
 * stack pointer at the call: the frame itself, or the copied stack arguments below it. */
int engine_personality(int version, int actions, u64 class, void *exception, void *context) {
  const int cleanup_phase = 2, continue_unwind = 8, fatal = 3;
  (void)class;
  (void)exception;
  if (version != 1) return fatal;
  u8 *slot = thread_slot();
  if (!(actions & cleanup_phase) || !slot) return continue_unwind;
  struct frame frame;
  u64 at = 0;
  if (get_cfa) at = get_cfa(context);
  else if (read_safely(&at, (u64)context + GCC_CONTEXT_CFA, 8) != 8) return continue_unwind;
  if (!is_frame(&frame, at) && !is_frame(&frame, at += STACK_COPY_MAX)) return continue_unwind;
  if (is_recorded(&frame))
    ring_emit(slot, EVENT_UNWOUND, frame.fn, at + FRAME_BYTES, 0, 0);
  else if (is_counted(&frame)) counted_end(slot, &frame);
  return continue_unwind;
}
