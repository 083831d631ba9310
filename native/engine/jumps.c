/* glibc's longjmp, at its entry: what the thread's stack pointer becomes is recorded, so that calls
 * which are jumped over end (src/db/writer/callStacks.ts). It runs in signal handlers too, and in
 * whatever state a program jumps out of.
 *
 * A jump far away may go to another stack, and whether that leaves a signal stack for good, or a
 * coroutine that will be jumped into again, only the kernel knows: the signal stack's place is
 * recorded, too. To ask takes ten times as long as to jump, so of a page that was no signal stack's
 * it is asked once in a turn of some milliseconds. */
#include "jumps.h"
#include "cpu.h"
#include "emit.h"
#include "process.h"
#include "raw.h"
#include "reads.h"
#include "rings.h"
#include "signalStack.h"
#include "waiting.h"

/* What is nearer is the same stack, as for who pairs the records. */
#define NEAR 8192
#define TURN_BITS 19
#define PAGES 64

/* Page number << TURN_BITS | the turn in which no signal stack was there. */
static u64 no_signal_stack[PAGES];

/* Where the signal stack begins and ends that a jump leaves. Returns whether it leaves one. */
static int signal_stack_left(u64 from, u64 to, u64 time, u64 words[2]) {
  u64 page = from >> 12,
      known = page << TURN_BITS | (turns(time) >> TURN_SHIFT & ((1ul << TURN_BITS) - 1));
  u64 *place = &no_signal_stack[(page ^ page >> 6) % PAGES];
  struct signal_stack now = {0, 0, 0};
  if (to - from <= NEAR || RELAXED(*place) == known) return 0;
  if (signal_stack_holds(from))
    now = (struct signal_stack){signal_stack_own(), STACK_IN_USE, HANDLER_STACK_BYTES};
  else if (engine_sandboxed || raw2(__NR_sigaltstack, 0, &now) != 0) return 0;
  if (!(now.flags & STACK_IN_USE)) SET_RELAXED(*place, known);
  if (!(now.flags & STACK_IN_USE) || to - now.base < now.bytes) return 0;
  words[0] = now.base;
  words[1] = now.base + now.bytes;
  return 1;
}

void jumps_note(const struct saved *saved) {
  u8 *slot = thread_slot();
  struct engine_thread *self = &engine_thread;
  u64 word, words[3] = {saved_stack(saved)};
  if (!slot || read_own(&word, saved_first(saved) + 8 * JUMP_STACK_WORD, 8) != 8) return;
  u64 to = longjmp_target(word), *events = (u64 *)(slot + SLOT_EVENTS);
  /* A program that jumps all the time, and calls nothing that is recorded, says nothing new. */
  if (!to || (to == self->jumped_to && *events == self->jumped_at) || waiting_outlast(slot, to))
    return;
  waiting_write(slot);
  u64 time = timestamp();
  u32 count = signal_stack_left(words[0], to, time, words + 1) ? 3 : 1;
  emit_at(slot, EVENT_JUMPED, 0, time, to, words, count);
  self->jumped_to = to;
  self->jumped_at = *events;
}
