/* See returns.h. The kernel leaves the registers of what a handler interrupts on the stack that the
 * handler runs on, which may be one of its own (sigaltstack): the flags and the segments behind the
 * program counter tell them from whatever else lies there. */
#include "returns.h"
#include "../stopper/memory.h"

/* How much a handler has on its stack at most. */
#define HANDLER_BYTES (128u << 10)
#define MOST_STACKS 8
#define SEGMENT_OF_CODE 0x33
#define FLAG_ALWAYS_SET 2

/* Of struct sigcontext. */
struct kept {
  u64 sp, pc, flags;
  u16 code, segments[3];
};

static int is_kept(const struct kept *kept) {
  return kept->code == SEGMENT_OF_CODE && kept->flags & FLAG_ALWAYS_SET && !(kept->flags >> 32);
}

/* Looks at a stack from its pointer on; adds those that its handlers came from. */
static int look_at(u64 stack, u64 from, u64 to, u64 *stacks, u32 *count) {
  static u64 words[HANDLER_BYTES / 8];
  u64 bytes = memory_read(stack, words, sizeof words);
  for (u64 at = 0; at + sizeof(struct kept) <= bytes; at += 8) {
    const struct kept *kept = (const struct kept *)((const u8 *)words + at);
    if (!is_kept(kept)) continue;
    if (kept->pc >= from && kept->pc < to) return 1;
    int is_elsewhere = kept->sp < stack || kept->sp >= stack + bytes;
    if (is_elsewhere && *count < MOST_STACKS) stacks[(*count)++] = kept->sp & ~7ul;
  }
  return 0;
}

int returns_into(const struct thread *thread, u64 from, u64 to) {
  u64 stacks[MOST_STACKS] = {thread->registers.rsp & ~7ul};
  u32 count = 1;
  if (thread->registers.rip >= from && thread->registers.rip < to) return 1;
  for (u32 i = 0; i < count; i++)
    if (look_at(stacks[i], from, to, stacks, &count)) return 1;
  return 0;
}
