/* Which thread runs C for a goroutine: what the engine records on that thread meanwhile, the
 * goroutine has called. Runs on the thread's area, see write.c. */
#include "../../engine/raw.h"
#include "counted.h"
#include "late.h"
#include "record.h"
#include "waits.h"
#include "write.h"

#define WORD 8
/* Where threads of C have their number (staticLibrary.ts). */
#define MUSL_THREAD_NUMBER 0x30
#define GLIBC_THREAD_NUMBER 0x2d0

static u32 thread_word(u64 offset) {
  u32 word;
  __asm__ volatile("mov %%fs:(%1), %0" : "=r"(word) : "r"(offset));
  return word;
}

/* Of the thread that runs: its area may have been that of another, which ended (THREAD_WORD). 0:
 * not known. */
static u64 thread_number(void) {
  static u32 known;
  u32 at = RELAXED(known);
  if (__builtin_expect(at != 0, 1)) return thread_word(at);
  long answer = raw0(__NR_gettid);
  if (answer < 0) return 0;
  u32 number = (u32)answer;
  if (thread_word(MUSL_THREAD_NUMBER) == number) at = MUSL_THREAD_NUMBER;
  else if (thread_word(GLIBC_THREAD_NUMBER) == number) at = GLIBC_THREAD_NUMBER;
  __atomic_store_n(&known, at, __ATOMIC_RELAXED);
  return number;
}

/* At the entry of runtime.cgocall. Of a goroutine with an entry that waits for the end of its call
 * it is not known whether that is recorded: its C is of its thread. */
void outside_called_c(struct area *area, const u8 *row) {
  u64 place = record_place(area);
  u8 *slot = waits_has_open(place) ? write_slot(area) : 0;
  (void)row;
  if (!slot || counted_is_behind(slot) || late_has(place >> FRAME_BITS)) return;
  u64 thread = thread_number();
  if (thread) write_record(slot, EVENT_CALLS_C, 0, place, &thread, 1);
}

/* At the entry of runtime.exitsyscall: where runtime.cgocall calls it, C has returned, and whatever
 * the thread does from here on is not the goroutine's call any more. */
void outside_back_from_c(struct area *area, const u8 *row) {
  u64 from = *(const u64 *)area->rsp;
  const struct settings *own = &outside_settings;
  (void)row;
  if (from < own->calls_of_c.begin || from >= own->calls_of_c.end) return;
  /* Frames of Go are a list by their frame pointers. */
  u64 place = record_place_of(area, area->rbp + WORD);
  u8 *slot = waits_has_open(place) ? write_slot(area) : 0;
  if (slot) write_record(slot, EVENT_LEAVES_C, 0, place, 0, 0);
}
