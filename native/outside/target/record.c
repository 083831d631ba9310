/* Records of calls of Go. Runs on the thread's area, see write.c. */
#include "record.h"
#include "../../engine/captureText.h"
#include "../../engine/probeValues.h"
#include "../../engine/raw.h"
#include "../../engine/walk.h"
#include "begun.h"
#include "counted.h"
#include "filter.h"
#include "hit.h"
#include "late.h"
#include "policy.h"
#include "waits.h"
#include "watch.h"
#include "write.h"

/* runtime.gopark(unlock, lock, reason, …) */
#define GOPARK_REASON 2

struct goroutine {
  u64 stack_low, stack_high;
};

static const struct goroutine *goroutine_of(const struct area *area) {
  return (const struct goroutine *)area->r14;
}

static u64 word_of_goroutine(const struct area *area, u32 offset) {
  return *(const u64 *)((const u8 *)area->r14 + offset);
}

u64 record_place_of(const struct area *area, u64 sp) {
  const struct goroutine *stack = goroutine_of(area);
  u64 number = word_of_goroutine(area, outside_settings.goroutine_number);
  u64 depth = (stack->stack_high - sp) >> 3;
  return (number & ((1ul << NUMBER_BITS) - 1)) << FRAME_BITS | ((1ul << FRAME_BITS) - 1 - depth);
}

u64 record_place(const struct area *area) { return record_place_of(area, area->rsp); }

static u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

/* One value as `op` says (record.ts, captureOp). Returns the new count of words. */
static u32 __attribute__((noinline)) capture(struct area *area, u64 op, u32 used) {
  u32 index = (u8)(op >> 8), size = (u16)(op >> 16), where = (u32)(op >> 32);
  u32 program = where & 0xfffff, bytes = where >> 20;
  const u64 *stack = (const u64 *)area->rsp + 1;
  if (used + 1 >= AREA_WORDS) return used;
  u32 room = smaller(AREA_WORDS, used + size / 8);
  switch ((u8)op) {
  case CAPTURE_FLOAT: area->words[used] = area->vectors[index * 2]; return used + 1;
  case CAPTURE_STACK: area->words[used] = stack[index]; return used + 1;
  case CAPTURE_HELD_PAIR:
    return capture_held(area->words, used, room, area->integers[index],
                        area->integers[(where & 0xfff) % AREA_INTEGERS], where >> 24, size, 0);
  case CAPTURE_WALK_WORDS:
    return walk_value(area->words, used, room, program, (const u8 *)&area->integers[index], 0,
                      bytes);
  case CAPTURE_WALK_STACK:
    return walk_value(area->words, used, room, program, (const u8 *)&stack[index], 0, bytes);
  default: area->words[used] = 0; return used + 1;
  }
}

/* Where the caller keeps room for a register's argument, which is the callee's (ABIInternal, "spill
 * space"): a callee that needs the argument after a call puts it there itself. */
static u64 *home_of(const struct area *area, u64 op) {
  return (u64 *)area->rsp + 1 + (op >> 8 & 0xff) % AREA_INTEGERS;
}

/* The buffer that the function fills, for its end. On a goroutine's stack it may move: then only
 * the callee, whose words the runtime corrects, can have it there. */
static void keep_buffer(const struct area *area, u64 op) {
  const struct goroutine *stack = goroutine_of(area);
  u64 buffer = area->integers[(op >> 8 & 0xff) % AREA_INTEGERS];
  int moves = buffer >= stack->stack_low && buffer < stack->stack_high;
  *home_of(area, op) = moves ? 0 : buffer;
}

/* What the function read; a number of bytes below zero does not occur in Go. */
static u32 filled(struct area *area, u64 op, u32 limit) {
  u64 count = area->integers[0];
  return capture_held(area->words, 0, AREA_WORDS, *home_of(area, op), count, 1, limit, 0);
}

/* Another goroutine runs on the thread: which one made it. */
static COLD void put_creator(struct area *area, u8 *slot) {
  u64 creator = word_of_goroutine(area, outside_settings.creator_number);
  area->goroutine = word_of_goroutine(area, outside_settings.goroutine_number);
  write_record(slot, EVENT_CONTEXT, 0, record_place(area), &creator, 1);
}

/* Between two records of calls it makes no difference when waits were. `place`: of what runs now.
 */
static void put_missed(u8 *slot, u64 place) {
  u64 cycles = waits_take(place);
  if (__builtin_expect(cycles != 0, 0)) write_record(slot, EVENT_RESUME, 0, place, &cycles, 1);
}

static u64 key_of(u64 place) { return place >> FRAME_BITS; }

/* Conditions find registers as words of the stack, which begins at the area (goArea.ts). */
static u64 words_of(const struct area *area) { return (u64)area - STACK_ARGUMENTS; }

static const struct registers no_registers;

static u32 capture_all(struct area *area, const u8 *row) {
  u32 used = 0, count = row[ARM_OP_COUNT];
  for (u32 i = 0; i < count; i++) {
    u64 op = ((const u64 *)(row + ARM_OPS))[i];
    if ((u8)op != CAPTURE_INTEGER) used = capture(area, op, used);
    else if (used + 1 < AREA_WORDS) area->words[used++] = area->integers[(u8)(op >> 8)];
  }
  return used;
}

/* What is asked of a call that ends may name what it was passed. */
static COLD void keep_call(const struct area *area, u32 fn, u64 place) {
  const struct goroutine *stack = goroutine_of(area);
  struct begun call = {stack->stack_low, stack->stack_high, {0}};
  for (u32 i = 0; i < AREA_INTEGERS; i++) call.arguments[i] = area->integers[i];
  if (watch_asks(fn, WATCH_AT_RETURN)) begun_keep(place, fn, &call);
}

/* An entry of which a policy says what becomes of it. Returns whether it is recorded now. */
static COLD int decide_entry(struct area *area, const u8 *row, u8 *slot, u32 fn, u64 place) {
  u64 key = key_of(place);
  enum verdict verdict = policy_enters(slot, fn, key, place, &no_registers, words_of(area));
  if (verdict == POLICY_RECORDS) return 1;
  if (verdict == POLICY_WAITS) {
    if (!late_has(key)) put_missed(slot, place);
    u32 used = capture_all(area, row);
    if (!late_add(slot, key, fn, place, area->words, used, area->integers, AREA_INTEGERS)) return 1;
    waits_entered(place);
    if (watch_has(fn)) keep_call(area, fn, place);
    return 0;
  }
  counted_pass(slot, fn, place, verdict == POLICY_PASSES);
  return 0;
}

/* Whether the call that ends leaves a record of that. */
static int decide_end(struct area *area, u8 *slot, u32 fn, u64 place) {
  const struct waiting *one = late_ending(slot, key_of(place), fn, place);
  if (!one) return 1;
  for (u32 i = 0; i < AREA_INTEGERS; i++) area->arguments[i] = one->arguments[i];
  if (policy_keeps(fn, timestamp() - one->start, &no_registers, words_of(area))) {
    late_write(slot, key_of(place), place);
    return 1;
  }
  late_drop(slot, key_of(place));
  waits_left(place);
  return 0;
}

void record_begins(struct area *area, u8 *slot, u64 place) {
  late_write(slot, key_of(place), place + 1);
  put_missed(slot, place);
  if (area->goroutine != word_of_goroutine(area, outside_settings.goroutine_number))
    put_creator(area, slot);
}

u32 record_goroutine(const struct area *area) {
  return (u32)word_of_goroutine(area, outside_settings.goroutine_number);
}

void record_hit(struct area *area, u8 *slot, struct probe *probe, const struct probe_place *place) {
  /* As a call that is made there. */
  u64 sp = record_place(area) - 1;
  u32 count = probe_values(probe, place, area->words);
  record_begins(area, slot, sp);
  write_record(slot, EVENT_HIT, probe->row.fn, sp, area->words, count);
}

static COLD void look(struct area *area, u8 *slot, u32 fn, u64 place, u32 at) {
  struct probe_place where = {&no_registers, words_of(area), 0};
  struct probe *probe;
  watch_look(slot, fn, at, &where, place);
  for (u32 next = 0; (probe = watch_check(fn, at, &next));)
    if (hit_is_wanted(slot, probe, &where, 1)) record_hit(area, slot, probe, &where);
}

static COLD void look_at_entry(struct area *area, u8 *slot, u32 fn, u64 place) {
  for (u32 i = 0; i < AREA_INTEGERS; i++) area->arguments[i] = area->integers[i];
  look(area, slot, fn, place, WATCH_AT_ENTER);
  keep_call(area, fn, place);
}

static COLD void look_at_end(struct area *area, u8 *slot, u32 fn, u64 place) {
  if (begun_take(place, fn, goroutine_of(area)->stack_high, area->arguments))
    look(area, slot, fn, place, WATCH_AT_RETURN);
}

void outside_entered(struct area *area, const u8 *row) {
  u8 *slot = write_slot(area);
  u32 fn = *(const u32 *)(row + ARM_FN);
  u64 place = record_place(area);
  if (row[ARM_RETURN_KIND] == RETURN_FILLED) keep_buffer(area, *(const u64 *)(row + ARM_RETURN_OP));
  if (!slot || counted_enters(slot, fn, place)) return;
  if (!policy_is_usual(fn) && !decide_entry(area, row, slot, fn, place)) return;
  record_begins(area, slot, place);
  waits_entered(place);
  u32 used = capture_all(area, row);
  write_words(slot, EVENT_ENTER, fn, 0, place, area->words, used);
  if (watch_has(fn)) look_at_entry(area, slot, fn, place);
}

void outside_left(struct area *area, const u8 *row) {
  u8 *slot = write_slot(area);
  u32 used = 0, fn = *(const u32 *)(row + ARM_FN);
  u64 place = record_place(area);
  if (!slot || counted_leaves(slot, fn, place) || !decide_end(area, slot, fn, place)) return;
  /* Of a frame further in: the call is open still. */
  put_missed(slot, place - 1);
  if (watch_has(fn)) look_at_end(area, slot, fn, place);
  waits_left(place);
  switch (row[ARM_RETURN_KIND]) {
  case RETURN_INTEGER: area->words[used++] = area->integers[0]; break;
  case RETURN_FLOAT: area->words[used++] = area->vectors[0]; break;
  case RETURN_WALK: used = capture(area, *(const u64 *)(row + ARM_RETURN_OP), 0); break;
  case RETURN_FILLED:
    used =
        filled(area, *(const u64 *)(row + ARM_RETURN_OP), *(const u16 *)(row + ARM_STRING_BYTES));
    break;
  default: break;
  }
  write_words(slot, EVENT_RETURN, fn, 0, place, area->words, used);
}

/* The goroutine lets others run, or calls the system: it waits until `outside_resumed`. */
void outside_parked(struct area *area, const u8 *row) {
  u64 place = record_place(area), is_call = row[ARM_FLAGS] & ARM_CALLS_SYSTEM;
  u8 *slot = waits_has_open(place) ? write_slot(area) : 0;
  /* Which calls it leaves is not known yet: those whose entry waits may have no end. */
  if (row[ARM_FLAGS] & ARM_LEAVES_CALLS) {
    if (slot) late_write(slot, key_of(place), place);
    return;
  }
  u8 reason = is_call ? PARK_SYSTEM_CALL
                      : outside_settings.reasons[area->integers[GOPARK_REASON] % MOST_REASONS];
  /* As a value without bytes behind it. */
  u64 word = (u64)reason << 32;
  if (!slot || waits_passes_over(slot, place, late_has(key_of(place)))) return;
  put_missed(slot, place);
  write_record(slot, EVENT_SUSPEND, 0, place, &word, 1);
}

void outside_resumed(struct area *area, const u8 *row) {
  u64 place = record_place(area);
  u8 *slot = waits_has_open(place) ? write_slot(area) : 0;
  if (row[ARM_FLAGS] & ARM_LEAVES_CALLS) return;
  if (slot && !waits_is_passed_over(place)) write_record(slot, EVENT_RESUME, 0, place, 0, 0);
}

/* Before any system call of Go's that may set a filter; on any stack that Go has. */
void outside_filter_comes(struct area *area, const u8 *row) {
  const u64 *call = area->integers;
  (void)row;
  filter_comes(area, call[0], call[1], call[2], call[3]);
}
