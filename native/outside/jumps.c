/* See jumps.h. */
#include "jumps.h"
#include "../stopper/memory.h"
#include "goroutines.h"
#include "patches.h"
#include "process.h"
#include <stdlib.h>
#include <string.h>

static struct jump **all;
static u32 count, room;

static int keep(struct jump *jump) {
  if (count == room) {
    u32 more = room ? room * 2 : 4096;
    struct jump **bigger = realloc(all, more * sizeof *all);
    if (!bigger) return 0;
    all = bigger;
    room = more;
  }
  all[count++] = jump;
  return 1;
}

static int covers(const struct jump *jump, u64 from, u64 to) {
  return jump->site.address < to && jump_end(jump) > from;
}

struct jump *jumps_over(u64 from, u64 to) {
  struct jump *over = 0;
  for (u32 i = 0; i < count; i++) {
    struct jump *jump = all[i];
    if (!covers(jump, from, to)) continue;
    if (jump->is_written) return jump;
    if (!over && jump_is_of_statements(jump)) over = jump;
  }
  return over;
}

int jump_is_alone(const struct jump *jump) {
  for (u32 i = 0; i < count; i++)
    if (all[i] != jump && all[i]->is_written && covers(all[i], jump->site.address, jump_end(jump)))
      return 0;
  return 1;
}

void jump_forget(struct jump *jump) {
  for (u32 i = 0; i < count; i++)
    if (all[i] == jump) all[i--] = all[--count];
  free(jump);
}

void jumps_undo(u64 address, u8 *code, u64 bytes) {
  for (u32 i = 0; i < count; i++) {
    const struct jump *jump = all[i];
    for (u32 at = 0; jump->is_written && at < jump->site.patched; at++) {
      u64 place = jump->site.address + at - address;
      if (place < bytes) code[place] = jump->before[at];
    }
  }
}

static void put_jump(struct jump *jump) {
  int distance = (int)(jump->stub.address - (jump->site.address + JUMP_BYTES));
  if (jump->site.patched == SHORT_JUMP_BYTES) return; /* whose way leads over a hole */
  jump->code[0] = 0xe9;
  memcpy(jump->code + 1, &distance, 4);
}

static u32 make_stub(struct jump *jump, const u8 *code) {
  jump->by.guests = jump->guests;
  u32 verdict = stub_make(code, &jump->site, &jump->by, &jump->stub);
  if (verdict == VERDICT_HOOKED) put_jump(jump);
  return verdict;
}

u32 jump_make(struct jump *jump, const struct site *site, const u8 *code,
              const struct recorder *by) {
  *jump = (struct jump){.site = *site, .by = *by};
  memcpy(jump->guests, by->guests, by->guest_count * sizeof *by->guests);
  memcpy(jump->before, code, site->patched);
  u32 verdict = make_stub(jump, code);
  return verdict == VERDICT_HOOKED && !keep(jump) ? VERDICT_POOL_FULL : verdict;
}

u64 jump_end(const struct jump *jump) {
  u32 displaced = jump->site.displaced + jump->site.leaving;
  return jump->site.address + (displaced > jump->site.patched ? displaced : jump->site.patched);
}

int jump_has_room(const struct jump *jump, u32 guests) {
  return jump->by.guest_count + guests <= MOST_GUESTS && jump->site.patched == JUMP_BYTES;
}

u32 jump_admit(struct jump *jump, const struct guest *guest, const u8 *code) {
  struct stub before = jump->stub;
  if (!jump_has_room(jump, 1)) return VERDICT_OVERLAPS;
  jump->guests[jump->by.guest_count++] = *guest;
  u32 verdict = make_stub(jump, code);
  if (verdict == VERDICT_HOOKED) return verdict;
  jump->by.guest_count--;
  jump->stub = before;
  return verdict;
}

/* Where a thread that stands within the bytes continues; 0: nowhere. */
static u64 moved(const struct stub *stub, u64 pc) {
  for (u32 i = 0; i < stub->moves; i++)
    if (stub->from[i] == pc) return stub->to[i];
  return 0;
}

int jump_is_free(const struct jump *jump) {
  u64 from = jump->site.address, to = from + jump->site.patched;
  /* A goroutine that is not running cannot be led elsewhere. */
  if (goroutines_stand(from + 1, to)) return 0;
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread)) {
    u64 pc = thread->registers.rip;
    if (pc <= from || pc >= to) continue;
    u64 next = moved(&jump->stub, pc);
    if (!next) return 0;
    thread->registers.rip = next;
    registers_write(thread);
  }
  return 1;
}

void jump_write(struct jump *jump) {
  patches_add(jump->site.address, jump->code, jump->site.patched);
  jump->is_written = 1;
}

void jump_restore(struct jump *jump) {
  patches_add(jump->site.address, jump->before, jump->site.patched);
  jump->is_written = 0;
}

void jump_take_back(struct jump *jump) {
  patches_drop(jump->code);
  memory_write(jump->site.address, jump->before, jump->site.patched);
  jump->is_written = 0;
}
