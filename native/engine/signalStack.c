/* See signalStack.h. */
#include "signalStack.h"
#include "crash.h"
#include "maps.h"
#include "raw.h"

#define MAP_STACK 0x20000

#define MOST_KNOWN 512

static u64 known[MOST_KNOWN]; /* 0: free */
static __thread void *alt_stack __attribute__((tls_model("initial-exec")));

static void exchange(u64 from, u64 to) {
  for (u32 i = 0; i < MOST_KNOWN; i++) {
    u64 found = from;
    if (RELAXED(known[i]) == from &&
        __atomic_compare_exchange_n(&known[i], &found, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

void signal_stacks_each(void (*work)(u64 from, u64 to, void *argument), void *argument) {
  for (u32 i = 0; i < MOST_KNOWN; i++) {
    u64 at = RELAXED(known[i]);
    if (at) work(at, at + HANDLER_STACK_BYTES, argument);
  }
}

void signal_stack_begin(void) {
  struct signal_stack now = {0, 0, 0};
  if (alt_stack || !crash_is_open() || raw2(__NR_sigaltstack, 0, &now) != 0 ||
      !(now.flags & STACK_DISABLED))
    return;
  struct signal_stack ours = {signal_stack_own(), 0, HANDLER_STACK_BYTES};
  if (ours.base) raw2(__NR_sigaltstack, &ours, 0);
}

u64 signal_stack_own(void) {
  if (alt_stack) return (u64)alt_stack;
  long at = raw6(__NR_mmap, 0, HANDLER_STACK_BYTES, 0,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (at < 0 && at > -4096) return 0;
  /* Where a program locks what it will map, this is not meant: it is not touched before. */
  raw2(__NR_munlock, at, HANDLER_STACK_BYTES);
  raw3(__NR_mprotect, at, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE);
  exchange(0, (u64)at);
  alt_stack = (void *)at;
  return (u64)at;
}

int signal_stack_holds(u64 sp) { return alt_stack && sp - (u64)alt_stack < HANDLER_STACK_BYTES; }

void signal_stack_end(void) {
  struct signal_stack now = {0, 0, 0}, none = {0, STACK_DISABLED, 0};
  if (!alt_stack) return;
  /* The program may have set one of its own since. */
  if (raw2(__NR_sigaltstack, 0, &now) == 0 && now.base == (u64)alt_stack &&
      raw2(__NR_sigaltstack, &none, 0) != 0)
    return;
  exchange((u64)alt_stack, 0);
  unmap_memory(alt_stack, HANDLER_STACK_BYTES);
  alt_stack = 0;
}
