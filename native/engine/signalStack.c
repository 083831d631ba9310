/* See signalStack.h. */
#include "signalStack.h"
#include "crash.h"
#include "maps.h"
#include "raw.h"

#define MAP_STACK 0x20000

static __thread void *alt_stack __attribute__((tls_model("initial-exec")));

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
  long at = raw6(__NR_mmap, 0, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (at < 0 && at > -4096) return 0;
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
  unmap_memory(alt_stack, HANDLER_STACK_BYTES);
  alt_stack = 0;
}
