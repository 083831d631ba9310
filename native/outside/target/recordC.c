/* Records of calls of C, C++ and Rust. Runs on the program's own stack, as the engine does; the
 * thread's area holds what is captured. */
#include "../../engine/captureText.h"
#include "../../engine/captureValue.h"
#include "../../engine/probeValues.h"
#include "../../engine/raw.h"
#include "../../engine/reads.h"
#include "../../engine/walk.h"
#include "begun.h"
#include "counted.h"
#include "filter.h"
#include "hit.h"
#include "late.h"
#include "policy.h"
#include "watch.h"
#include "write.h"

#define GET_THREAD_BLOCK 0x1003 /* arch_prctl */
#define STACK_IS_OF_SIGNALS 1
#define CALLERS_RESULT 8
#define PR_GET_NAME 16

static u64 thread_word(u64 offset) {
  u64 word;
  __asm__ volatile("mov %%fs:(%1), %0" : "=r"(word) : "r"(offset));
  return word;
}

static COLD int have_threads(void) {
  u64 block = 0;
  raw2(__NR_arch_prctl, GET_THREAD_BLOCK, &block);
  outside_settings.has_threads = block != 0;
  return block != 0;
}

/* That of a thread that has ended, once all that it wrote was read. */
static COLD struct area *area_of_ended(void) {
  struct settings *own = &outside_settings;
  u32 count = RELAXED(own->next_area), pid = own->pid;
  for (u32 i = 0; i < count && i < own->area_count; i++) {
    struct area *area = (struct area *)(own->areas + (u64)i * AREA_BYTES);
    u8 *slot = RELAXED(area->slot);
    u32 *state = (u32 *)(slot + SLOT_STATE);
    if (!slot) continue;
    if (RELAXED(*state) == SLOT_STATE_LIVE &&
        raw3(__NR_tgkill, pid, *(u32 *)(slot + SLOT_TID), 0) == -ERR_SEARCH)
      __atomic_store_n(state, SLOT_STATE_ENDED, __ATOMIC_RELEASE);
    if (__atomic_load_n(state, __ATOMIC_ACQUIRE) == SLOT_STATE_FREE &&
        __atomic_compare_exchange_n(&area->slot, &slot, 0, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return area;
  }
  return 0;
}

/* Of a thread that has none yet, or that has the block of one that ended. */
static COLD struct area *take_area(u32 thread) {
  struct settings *own = &outside_settings;
  struct area *area = RELAXED(own->next_area) > own->area_count / 2 ? area_of_ended() : 0;
  u32 number = area ? 0 : __atomic_fetch_add(&own->next_area, 1, __ATOMIC_RELAXED);
  if (number >= own->area_count) {
    __atomic_fetch_sub(&own->next_area, 1, __ATOMIC_RELAXED);
    return 0;
  }
  if (!area) area = (struct area *)(own->areas + (u64)number * AREA_BYTES);
  area->thread = thread;
  area->records_at = 0;
  area->kept_count = 0;
  __asm__ volatile("mov %0, %%fs:(%1)" : : "r"(area), "r"((u64)THREAD_WORD) : "memory");
  return area;
}

/* Whether a call of a handler came while the thread recorded another one; a handler may also have
 * left that one for good. */
static COLD int is_within(const struct area *area, u64 sp) {
  u64 stack[3] = {0};
  if (raw2(__NR_sigaltstack, 0, stack) < 0) return 1;
  return ((u32)stack[1] & STACK_IS_OF_SIGNALS) || sp < area->records_at;
}

static COLD struct area *none(void) {
  __atomic_fetch_add((u64 *)(outside_settings.file + FILE_LOST_NO_RING), 1, __ATOMIC_RELAXED);
  return 0;
}

/* Null: the call leaves no record. Given back by `end`. */
static struct area *begin(u64 sp) {
  if (!outside_settings.has_threads && !have_threads()) return 0;
  struct area *area = (struct area *)thread_word(THREAD_WORD);
  u32 thread = (u32)thread_word(outside_settings.thread_number);
  if (!area || area->thread != thread) area = take_area(thread);
  if (!area || (area->records_at && is_within(area, sp))) return none();
  area->records_at = sp;
  __asm__ volatile("" : : : "memory");
  return area;
}

static void end(struct area *area) {
  __asm__ volatile("" : : : "memory");
  area->records_at = 0;
}

/* Calls further in have ended; one that was left by a jump is among them. */
static void forget_inner(struct area *area, u64 sp) {
  while (area->kept_count && area->kept[area->kept_count - 1].sp < sp) area->kept_count--;
}

static void keep_buffer(struct area *area, const struct registers *r, u64 op, u64 sp) {
  u64 through = FILLED_THROUGH(op);
  forget_inner(area, sp + 1);
  if (area->kept_count == KEPT_CALLS) return;
  area->kept[area->kept_count++] = (struct kept){
      .sp = sp,
      .buffer = r->integer[FILLED_REGISTER(op) % INTEGER_REGISTERS],
      .through = through ? r->integer[(through - 1) % INTEGER_REGISTERS] : 0,
  };
}

static u32 capture_all(struct area *area, const struct registers *r, const u8 *row, u64 sp) {
  u32 used = 0;
  for (u32 i = 0; i < row[ARM_OP_COUNT] && used < AREA_WORDS; i++)
    used = capture_value(area->words, used, AREA_WORDS, ((const u64 *)(row + ARM_OPS))[i], r,
                         (const u64 *)(sp + STACK_ARGUMENTS));
  return used;
}

/* What a probe asks for, as a call that is made there. */
static void record_hit(struct area *area, u8 *slot, struct probe *probe,
                       const struct probe_place *where, u64 sp) {
  u32 count = probe_values(probe, where, area->words);
  late_write(slot, area->thread, sp + 1);
  write_record(slot, EVENT_ENTER, probe->row.fn, sp, area->words, count);
}

/* What is asked of a call that ends may name what it was passed. */
static COLD void keep_call(const struct registers *r, u32 fn, u64 sp) {
  struct begun call = {0};
  for (u32 i = 0; i < INTEGER_REGISTERS; i++) call.arguments[i] = r->integer[i];
  if (watch_asks(fn, WATCH_AT_RETURN)) begun_keep(sp, fn, &call);
}

static int is_of_thread(const struct area *area, const struct probe_row *row) {
  u8 name[THREAD_NAME] = {0};
  if (row->thread) return row->thread == area->thread;
  if (!row->thread_name[0] || raw2(__NR_prctl, PR_GET_NAME, name) != 0) return 1;
  for (u32 i = 0; i < THREAD_NAME; i++)
    if (name[i] != row->thread_name[i]) return 0;
  return 1;
}

void outside_c_probed(const u64 *registers, const u8 *row) {
  struct probe *probe = &outside_probes[*(const u32 *)(row + PROBE_ROW_INDEX) % MOST_PROBES];
  u64 sp = registers[CPU_STACK_POINTER];
  struct area *area = begin(sp);
  u8 *slot = area ? write_slot(area) : 0;
  struct registers r;
  if (slot && probe->row.fn == *(const u32 *)(row + ARM_FN)) {
    if (probe->row.has_vectors) vectors_now(r.vector);
    /* The code's stack words are the registers. */
    struct probe_place where = {&r, (u64)registers - STACK_ARGUMENTS, 0};
    if (hit_is_wanted(slot, probe, &where, is_of_thread(area, &probe->row)))
      record_hit(area, slot, probe, &where, sp - 8);
  }
  if (area) end(area);
}

static COLD void look(struct area *area, u8 *slot, u32 fn, struct probe_place *where, u32 at) {
  u64 sp = where->sp;
  struct probe *probe;
  watch_look(slot, fn, at, where, sp);
  for (u32 next = 0; (probe = watch_check(fn, at, &next));)
    if (hit_is_wanted(slot, probe, where, 1)) record_hit(area, slot, probe, where, sp - 8);
}

/* An entry of which a policy says what becomes of it. Returns whether it is recorded now. */
static COLD int decide_entry(struct area *area, const struct registers *r, const u8 *row, u8 *slot,
                             u64 sp) {
  u32 fn = *(const u32 *)(row + ARM_FN);
  enum verdict verdict = policy_enters(slot, fn, area->thread, sp, r, sp);
  if (verdict == POLICY_RECORDS) return 1;
  if (verdict == POLICY_WAITS) {
    if (watch_has(fn)) keep_call(r, fn, sp);
    return !late_add(slot, area->thread, fn, sp, area->words, capture_all(area, r, row, sp),
                     r->integer, INTEGER_REGISTERS);
  }
  counted_pass(slot, fn, sp, verdict == POLICY_PASSES);
  return 0;
}

static void record_entry(struct area *area, const struct registers *r, const u8 *row, u64 sp) {
  u32 fn = *(const u32 *)(row + ARM_FN);
  u8 *slot = write_slot(area);
  if (!slot || counted_enters(slot, fn, sp)) return;
  if (!policy_is_usual(fn) && !decide_entry(area, r, row, slot, sp)) return;
  late_write(slot, area->thread, sp + 1);
  write_record(slot, EVENT_ENTER, fn, sp, area->words, capture_all(area, r, row, sp));
  if (!watch_has(fn)) return;
  look(area, slot, fn, &(struct probe_place){r, sp, 0}, WATCH_AT_ENTER);
  keep_call(r, fn, sp);
}

/* Registers as conditions at a return have them (conditionCopies). */
static struct registers returning(const u64 *arguments, const struct registers *r) {
  struct registers now = {
      .integer = {arguments[0], arguments[1], arguments[2], r->rax, r->integer[2]}};
  for (u32 i = 0; i < RETURNED_VECTORS; i++) now.vector[i] = r->vector[i];
  return now;
}

/* Whether the call that ends leaves a record of that; `r` null: without a result. */
static int decide_end(struct area *area, u8 *slot, u32 fn, const struct registers *r, u64 sp) {
  const struct waiting *one = late_ending(slot, area->thread, fn, sp);
  if (!one) return 1;
  struct registers now = {0};
  if (r) now = returning(one->arguments, r);
  if (policy_keeps(fn, timestamp() - one->start, r ? &now : 0, sp)) {
    late_write(slot, area->thread, sp);
    return 1;
  }
  late_drop(slot, area->thread);
  return 0;
}

void outside_c_entered(const struct registers *r, const u8 *row, u64 sp) {
  struct area *area = begin(sp);
  if (!area) return;
  if (row[ARM_RETURN_KIND] == RETURN_FILLED)
    keep_buffer(area, r, *(const u64 *)(row + ARM_RETURN_OP), sp);
  record_entry(area, r, row, sp);
  end(area);
}

static u32 capture_result(u64 *words, const struct registers *r, u64 op) {
  struct registers returned = {.integer = {r->rax, r->integer[2]}};
  for (u32 i = 0; i < RETURNED_VECTORS; i++) returned.vector[i] = r->vector[i];
  u32 is_long_double = (op & 0xff) == CAPTURE_WALK_REGISTERS && (op >> 8 & 15) == 2;
  if (!is_long_double) return capture_walk(words, 0, AREA_WORDS, op, &returned, 0);
  u8 real[16] = {0};
  long_double_result(real);
  return walk_value(words, 0, AREA_WORDS, op >> 32 & 0xfffff, real, 0, 16);
}

/* What was put into the buffer; of a failure its outcome. Buffers in parts are of the C library,
 * which is not hooked from outside. */
static u32 filled(struct area *area, const struct registers *r, const u8 *row, u64 sp) {
  u64 op = *(const u64 *)(row + ARM_RETURN_OP), count = 0, *words = area->words;
  i32 said = (i32)r->rax;
  forget_inner(area, sp);
  const struct kept *kept = area->kept_count ? &area->kept[area->kept_count - 1] : 0;
  if (!kept || kept->sp != sp || FILLED_WITH_RESULT(op) || FILLED_PARTS(op)) {
    put_header(&words[0], 0, STRING_UNREADABLE);
    return 1;
  }
  if (said < 0) {
    put_header(&words[0], 8, STRING_IS_NULL);
    words[1] = (u32)said;
    return 2;
  }
  if (!FILLED_THROUGH(op)) count = (u64)said;
  else if (said) read_quickly(&count, kept->through, sizeof count);
  return capture_held(words, 0, AREA_WORDS, kept->buffer, count, 1,
                      *(const u16 *)(row + ARM_STRING_BYTES), 0);
}

/* What lies where a result is in memory is in rax, too. */
static u32 result(struct area *area, const struct registers *r, const u8 *row, u64 sp) {
  u64 *words = area->words;
  u64 op = *(const u64 *)(row + ARM_RETURN_OP), first = r->rax, second = r->integer[2];
  u32 where = (u32)(op >> 32), limit = *(const u16 *)(row + ARM_STRING_BYTES);
  int is_swapped = (where & 0xfff) != 0;
  switch (row[ARM_RETURN_KIND]) {
  case RETURN_NONE: return 0;
  case RETURN_FLOAT: words[0] = r->vector[0]; return 1;
  case RETURN_STRING: return capture_string(words, 0, AREA_WORDS, first, limit);
  case RETURN_HELD: return capture_object(words, 0, AREA_WORDS, first, where, limit);
  case RETURN_HELD_PAIR:
    return capture_held(words, 0, AREA_WORDS, is_swapped ? second : first,
                        is_swapped ? first : second, where >> 24, limit, 0);
  case RETURN_WALK: return capture_result(words, r, op);
  case RETURN_OUTCOME: words[0] = (u32)first; return 1;
  case RETURN_FILLED: return filled(area, r, row, sp);
  default: words[0] = first; return 1;
  }
}

static COLD void look_at_end(struct area *area, u8 *slot, u32 fn, const struct registers *r,
                             u64 sp) {
  u64 arguments[AREA_INTEGERS];
  if (!begun_take(sp, fn, 0, arguments)) return;
  const struct registers now = returning(arguments, r);
  look(area, slot, fn, &(struct probe_place){&now, sp, 0}, WATCH_AT_RETURN);
}

void outside_c_left(const struct registers *r, const u8 *row, u64 sp) {
  struct area *area = begin(sp);
  u32 fn = *(const u32 *)(row + ARM_FN);
  if (!area) return;
  u8 *slot = write_slot(area);
  if (slot && !counted_leaves(slot, fn, sp) && decide_end(area, slot, fn, r, sp)) {
    if (watch_has(fn)) look_at_end(area, slot, fn, r, sp);
    write_record(slot, EVENT_RETURN, fn, sp, area->words, result(area, r, row, sp));
  }
  end(area);
}

/* It ends by jumping to another function, which returns in its place. */
void outside_c_passed_on(const struct registers *r, const u8 *row, u64 sp) {
  struct area *area = begin(sp);
  u32 fn = *(const u32 *)(row + ARM_FN);
  (void)r;
  if (!area) return;
  u8 *slot = write_slot(area);
  if (slot && !counted_leaves(slot, fn, sp) && decide_end(area, slot, fn, 0, sp))
    write_record(slot, EVENT_TAIL, fn, sp, 0, 0);
  end(area);
}

static void comes(const u64 *call, u64 number, u64 sp) {
  struct area *area = begin(sp);
  filter_comes(area, number, call[0], call[1], call[2]);
  if (area) end(area);
}

/* Before a call of prctl, and before one of syscall, that may set a filter. */
void outside_c_prctl(const struct registers *r, const u8 *row, u64 sp) {
  (void)row;
  comes(r->integer, NUMBER_OF_PRCTL, sp);
}

void outside_c_syscall(const struct registers *r, const u8 *row, u64 sp) {
  (void)row;
  comes(r->integer + 1, r->integer[0], sp);
}
