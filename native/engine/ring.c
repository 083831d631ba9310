/* Writing records: everything the assembler's fast path does not do itself. Runs inside traced
 * functions and signal handlers: no libc, no locks, general registers only. */
#include "reads.h"
#include "walk.h"

struct plan engine_plans[RECORD_MAX_FUNCTIONS];
u32 engine_pid;

#define SHORT_TEXT 32
#define HELD_COUNT_MAX 0x10000000000ul
#define HELD_LENGTH_MAX 0x1ffffffful

void ring_emit(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count) {
  ring_emit_at(slot, kind, fn, timestamp(), sp, words, count);
}

static void put_more(u8 *ring, u32 at, u32 mask, u64 first, u64 second, u64 third) {
  volatile u64 *row = (volatile u64 *)(ring + (at & mask));
  fetch_for_writing((u8 *)row + FETCHED_AHEAD);
  row[0] = first;
  row[1] = second;
  row[2] = third;
  __atomic_store_n((u32 *)row + 7, at | EVENT_MORE, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void emit(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp,
                                                       const u64 *words, u32 count) {
  u32 more = count <= 1 ? 0 : (count - 1 + 2) / 3, next = 1;
  u64 position = add_locally((u64 *)(slot + SLOT_POSITION), (u64)RECORD_BYTES * (1 + more));
  count_locally((u64 *)(slot + SLOT_EVENTS));
  /* A reader that sees what follows sees the new position, too. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  u32 at = (u32)position, mask = *(u32 *)(slot + SLOT_RING_MASK);
  u8 *ring = slot + SLOT_BYTES + *(u32 *)(slot + SLOT_RING_BASE);
  volatile u64 *head = (volatile u64 *)(ring + (at & mask));
  fetch_for_writing((u8 *)head + FETCHED_AHEAD);
  head[0] = time;
  head[1] = sp;
  head[2] = count ? words[0] : 0;
  ((volatile u32 *)head)[6] = fn | more << RECORD_FUNCTION_BITS;
  for (; next + 3 <= count; next += 3)
    put_more(ring, at += RECORD_BYTES, mask, words[next], words[next + 1], words[next + 2]);
  if (next < count)
    put_more(ring, at += RECORD_BYTES, mask, words[next], next + 1 < count ? words[next + 1] : 0,
             0);
  __atomic_store_n((u32 *)head + 7, (u32)position | kind, __ATOMIC_RELEASE);
  if (*(volatile u32 *)(slot + SLOT_ASLEEP)) ring_file_wake(slot);
  /* Also behind an entry of the fast path that went a record beyond such a place, or up to it. */
  if (((position - 2 * RECORD_BYTES) ^ (at + RECORD_BYTES)) & HOT_CHECK_BYTES) engine_check_hot();
}

void ring_emit_at(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words, u32 count) {
  emit(slot, kind, fn, time, sp, words, count);
}

/* The end of a call that the fast path recorded in a slot whose reader sleeps, or where the ring is
 * to be looked at. */
void ring_returned(void) {
  u8 *slot = thread_slot();
  if (!slot) return;
  if (*(volatile u32 *)(slot + SLOT_ASLEEP)) ring_file_wake(slot);
  if (!((*(u64 *)(slot + SLOT_POSITION) - RECORD_BYTES) & HOT_CHECK_MASK)) engine_check_hot();
}

/* In one store: it is loaded as one word when the record is written. */
static void put_header(u64 *word, u32 bytes, u32 flags) { *word = bytes | (u64)flags << 32; }

static u32 unreadable(u64 *words, u32 used, u32 room, u32 flags) {
  if (used >= room) return used;
  words[used] = (u64)flags << 32;
  return used + 1;
}

static u32 unreadable_at(u64 *words, u32 used, u32 room, u64 address) {
  u32 begin = used;
  used = unreadable(words, used, room, STRING_UNREADABLE);
  if (used >= room) return used;
  put_header(&words[begin], 8, STRING_UNREADABLE);
  words[used] = address;
  return used + 1;
}

/* Appends a C string: u32 bytes, u32 flags, the bytes, zeros up to 8; in place of one that cannot
 * be read its address. Returns the new count of words; `room` words are there. */
static u32 capture_string(u64 *words, u32 used, u32 room, u64 address, u32 limit) {
  if (used >= room) return used;
  if (address == 0) {
    put_header(&words[used], 0, STRING_IS_NULL);
    return used + 1;
  }
  u8 *text = (u8 *)&words[used + 1];
  u32 space = (room - used - 1) * 8;
  if (limit >= space) limit = space ? space - 1 : 0;
  u32 got = read_text_quickly(text, address, limit + 1);
  if (!got) return unreadable_at(words, used, room, address);
  u32 length = text_length(&words[used + 1], got);
  if (length > limit) length = limit;
  put_header(&words[used], length, length == got || text[length] ? STRING_TRUNCATED : 0);
  if (length % 8) words[used + 1 + length / 8] &= (1ul << length % 8 * 8) - 1;
  return used + 1 + (length + 7) / 8;
}

/* What lies at `address`, at most `limit` bytes of `length`; `copy`: the same, known to be
 * readable. */
static u32 capture_bytes(u64 *words, u32 used, u32 room, u64 address, u64 length, u32 limit,
                         const u8 *copy) {
  if (used >= room) return used;
  u8 *to = (u8 *)&words[used + 1];
  u32 space = (room - used - 1) * 8;
  u32 wanted = limit < space ? limit : space;
  u32 flags = 0;
  if (length < wanted) wanted = (u32)length;
  else if (length > wanted) flags = STRING_TRUNCATED;
  u32 got = wanted;
  if (copy && length <= wanted) copy_words((u64 *)to, copy, wanted);
  else if (wanted) got = (u32)read_quickly(to, address, wanted);
  if (!got && wanted) return unreadable_at(words, used, room, address);
  if (got < wanted) flags |= STRING_TRUNCATED;
  u64 known = length < HELD_LENGTH_MAX ? length : HELD_LENGTH_MAX;
  put_header(&words[used], got, flags | (u32)known << STRING_LENGTH_SHIFT);
  if (got % 8) words[used + 1 + got / 8] &= (1ul << got % 8 * 8) - 1;
  return used + 1 + (got + 7) / 8;
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
  if (high - low > sizeof window - SHORT_TEXT)
    return unreadable(words, used, room, STRING_UNREADABLE);
  u64 start = address + low, got = read_quickly(window, start, high - low + SHORT_TEXT);
  if (got < high - low) return unreadable(words, used, room, STRING_UNREADABLE);
  u64 first = *(u64 *)(window + pointer_at - low), count = *(u64 *)(window + length_at - low);
  /* Short text lies in the object itself. */
  u64 before = first - start;
  int is_inside = where >> 24 == 1 && before <= got && count <= got - before;
  return capture_held(words, used, room, first, count, where >> 24, limit,
                      is_inside ? window + before : 0);
}

u32 ring_text(u64 *words, u32 used, u32 room, u64 address, u32 where, u32 limit) {
  return where ? capture_object(words, used, room, address, where, limit)
               : capture_string(words, used, room, address, limit);
}

/* Bytes of a value that was passed in up to two registers, those of the second from `second` on. */
static void gather(u8 bytes[32], u32 index, u32 second, const struct registers *r) {
  for (u32 i = 0; i < 2; i++) {
    u32 from = index >> 4 * i & 15;
    u64 word = from >= 8 ? r->vector[from - 8] : from < INTEGER_REGISTERS ? r->integer[from] : 0;
    if (!i || from != (index & 15)) *(u64 *)(bytes + (i ? second : 0)) = word;
  }
}

/* Bytes of a value that was passed in vector registers in a row, `each` of them. */
static void gather_vectors(u8 bytes[32], u32 first, u32 count, u32 each,
                           const struct registers *r) {
  for (u32 i = 0; i < count && i < 4 && first + i < 8 && each <= 8; i++)
    for (u32 at = 0; at < each; at++) bytes[i * each + at] = (u8)(r->vector[first + i] >> 8 * at);
}

static u32 capture_walk(u64 *words, u32 used, u32 room, u64 op, const struct registers *r,
                        const u64 *stack) {
  u32 index = op >> 8 & 0xff, size = op >> 16 & 0xffff;
  u32 program = op >> 32 & 0xfffff, bytes = (u32)(op >> 52);
  u32 most = used + 1 + size / 8;
  if (most < room) room = most;
  u8 gathered[32] = {0};
  switch (op & 0xff) {
  case CAPTURE_WALK_REGISTERS:
    gather(gathered, index, bytes >> 5 & 15, r);
    return walk_value(words, used, room, program, gathered, 0, bytes & 31);
  case CAPTURE_WALK_VECTORS:
    gather_vectors(gathered, index & 15, index >> 4, bytes, r);
    return walk_value(words, used, room, program, gathered, 0, (index >> 4) * bytes & 63);
  case CAPTURE_WALK_STACK:
    return walk_value(words, used, room, program, (const u8 *)&stack[index], (u64)&stack[index],
                      bytes);
  case CAPTURE_WALK_INTEGER:
    return walk_value(words, used, room, program, 0,
                      r->integer[index < INTEGER_REGISTERS ? index : 0], bytes);
  default: return walk_value(words, used, room, program, 0, stack[index], bytes);
  }
}

static __attribute__((noinline)) u32 capture_one(u64 *words, u32 used, u32 room, u64 op,
                                                 const struct registers *r, const u64 *stack) {
  u32 index = op >> 8 & 0xff, size = op >> 16 & 0xffff, where = (u32)(op >> 32);
  u64 integer = r->integer[index < INTEGER_REGISTERS ? index : 0];
  switch (op & 0xff) {
  case CAPTURE_INTEGER: words[used] = integer; return used + 1;
  case CAPTURE_FLOAT: words[used] = r->vector[index & 7]; return used + 1;
  case CAPTURE_STACK: words[used] = stack[index]; return used + 1;
  case CAPTURE_STRING_INTEGER: return capture_string(words, used, room, integer, size);
  case CAPTURE_STRING_STACK: return capture_string(words, used, room, stack[index], size);
  case CAPTURE_HELD_INTEGER: return capture_object(words, used, room, integer, where, size);
  case CAPTURE_HELD_STACK: return capture_object(words, used, room, stack[index], where, size);
  case CAPTURE_WALK_REGISTERS:
  case CAPTURE_WALK_STACK:
  case CAPTURE_WALK_INTEGER:
  case CAPTURE_WALK_ADDRESS:
  case CAPTURE_WALK_VECTORS: return capture_walk(words, used, room, op, r, stack);
  case CAPTURE_HELD_PAIR: {
    u32 length_in = where & 0xfff;
    u64 count = r->integer[length_in < INTEGER_REGISTERS ? length_in : 0];
    return capture_held(words, used, room, integer, count, where >> 24, size, 0);
  }
  default: return used;
  }
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
    else used = capture_one(words, used, room, *op, r, stack);
  }
  return used;
}

/* The entry of a call that is recorded, or waits. The registers are those of its arguments alone.
 */
void ring_record(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp,
                 int may_wait) {
  u32 fn = frame->fn;
  const struct plan *plan = &engine_plans[fn];
  u64 start = timestamp();
  u32 room = plan->payload_words;
  u64 words[room];
  if (plan->reads_memory) reads_begin_at_once(start);
  u32 count = capture(words, room, plan, r, entry_sp);
  if (plan->reads_memory) reads_end();
  if (may_wait && counted_least(fn) && waiting_add(slot, fn, start, sp, words, count)) {
    frame->plan = (frame->plan & ~PLAN_GENERAL) | PLAN_UNRECORDED | PLAN_COUNTED;
  } else {
    waiting_write(slot);
    emit(slot, EVENT_ENTER, fn, start, sp, words, count);
  }
  watch_enter(slot, frame, r, entry_sp, sp);
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
  if (is_recorded(frame) || (has_waited(frame) && waiting_end(slot, frame->fn, sp)))
    ring_emit(slot, kind, frame->fn, sp, 0, 0);
  else if (is_counted(frame)) counted_end(slot, frame);
}

/* Records an entry or counts it, and writes into its frame which. */
static void take_entry(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp,
                       u64 sp) {
  u32 plan = frame->plan, is_filtered = plan & PLAN_FILTERED;
  frame->plan &= ~PLAN_FILTERED;
  if (is_filtered && !counted_wants(frame->fn, r, entry_sp)) return counted_pass(slot, frame);
  if (plan & PLAN_COUNTED && !counted_enter(slot, frame)) return;
  if (is_filtered && counted_is_too_deep(slot, frame->fn, sp)) return counted_pass(slot, frame);
  ring_record(slot, frame, r, entry_sp, sp, is_filtered != 0);
}

/* The entry of a call off the fast path. Returns 1 when the frame above is ours and is reused
 * (a tail call), else 0. `copy`, when given, takes the stack arguments. */
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
    else take_entry(slot, frame, r, sp, above_sp);
    above->fn = fn;
    above->plan = frame->plan;
    above->target = frame->target;
    above->start = frame->start;
    copy_words(above->saved, (const u8 *)frame->saved, sizeof above->saved);
    return 1;
  }
  if (!slot) frame->plan = unseen;
  else take_entry(slot, frame, r, sp, sp);
  if (copy) {
    u32 bytes = engine_plans[fn].stack_bytes;
    /* An earlier frame may have lain there, and the unwinder comes by (engine_personality). */
    ((struct frame *)copy)->target = 0;
    copy_bytes(copy, (const void *)(sp + STACK_ARGUMENTS),
               bytes > STACK_COPY_MAX ? STACK_COPY_MAX : bytes);
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

/* The end of a call that returns more than a word, has watches, or whose entry waited; `address`
 * and `second` were in rax and rdx. */
void ring_return(u64 address, struct frame *frame, u64 second, const struct registers *r) {
  u8 *slot = thread_slot();
  const struct plan *plan = &engine_plans[frame->fn];
  if (has_waited(frame) && !waiting_end(slot, frame->fn, (u64)frame + FRAME_BYTES)) return;
  if (!(frame->plan & PLAN_STRING_RETURN)) {
    u64 word = frame->plan & PLAN_FLOAT_RETURN ? r->vector[0] : address;
    ring_emit(slot, EVENT_RETURN, frame->fn, (u64)frame + FRAME_BYTES, &word, 1);
    return;
  }
  u64 op = plan->return_op;
  u32 is_walk = plan->return_kind == RETURN_WALK, where = (u32)(op >> 32);
  u32 limit = is_walk ? op >> 16 & 0xffff : plan->string_bytes;
  u32 room = 2 + (limit + 8) / 8;
  if (room > MOST_PAYLOAD_WORDS) room = MOST_PAYLOAD_WORDS;
  u64 words[room];
  u32 count = 1;
  int is_callers = (op >> 8 & 0xff) == CALLERS_RESULT && (op & 0xff) != CAPTURE_WALK_REGISTERS;
  if (is_callers) address = callers_result(frame);
  watch_return(slot, frame);
  reads_begin_at_once(timestamp());
  if (plan->return_kind < RETURN_STRING)
    words[0] = plan->return_kind == RETURN_FLOAT ? r->vector[0] : address;
  else if (is_walk) count = capture_returned_walk(words, room, op, r, address, second);
  else if (plan->return_kind == RETURN_HELD)
    count = capture_object(words, 0, room, address, where, limit);
  else if (plan->return_kind == RETURN_HELD_PAIR) {
    int swapped = (where & 0xfff) != 0;
    u64 first = swapped ? second : address, length = swapped ? address : second;
    count = capture_held(words, 0, room, first, length, where >> 24, limit, 0);
  } else count = capture_string(words, 0, room, address, limit);
  reads_end();
  ring_emit(slot, EVENT_RETURN, frame->fn, (u64)frame + FRAME_BYTES, words, count);
}

static u64 (*get_cfa)(void *context);

/* Hands in the unwinder's _Unwind_GetCFA. */
EXPORT void engine_set_unwinder(u64 (*function)(void *)) { get_cfa = function; }

static int is_frame(struct frame *frame, u64 at) {
  if (read_safely(frame, at, sizeof *frame) != sizeof *frame) return 0;
  return frame->target && frame->fn < RECORD_MAX_FUNCTIONS &&
         frame->target == RELAXED(engine_targets[frame->fn]);
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
  /* A program may hide its own unwinder (-static-libgcc): what is read there counts only if it
   * leads to a frame of ours. */
  if (get_cfa) at = get_cfa(context);
  else if (read_safely(&at, (u64)context + GCC_CONTEXT_CFA, 8) != 8) return continue_unwind;
  if (!is_frame(&frame, at) && !is_frame(&frame, at += STACK_COPY_MAX)) return continue_unwind;
  end_call(slot, EVENT_UNWOUND, &frame, at + FRAME_BYTES);
  return continue_unwind;
}
