/* See quiet.h. */
#define _GNU_SOURCE
#include "quiet.h"
#include "realPtrace.h"

#include <signal.h>
#include <sys/ptrace.h>

#define BIT(number) (UINT64_C(1) << ((number) - 1))
#define FAULTS (BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGSEGV) | BIT(SIGSYS))
/* The C library cancels threads by it, or runs timers: whether it may come is for it to say. */
#define OF_LIBRARY BIT(32)
/* By it setuid(2) waits for every thread, in glibc: programs with another C library are not
 * entered. */
#define SETUID BIT(33)

static bool set(pid_t tid, uint64_t mask) {
  return real_ptrace()(PTRACE_SETSIGMASK, tid, (void *)sizeof mask, &mask) == 0;
}

void quiet_begin(struct held *held) {
  uint64_t mask;
  if (held->is_quiet ||
      real_ptrace()(PTRACE_GETSIGMASK, held->tid, (void *)sizeof mask, &mask) != 0)
    return;
  held->mask = mask;
  /* First: the restorer gives it back where the host is killed in between. */
  held->is_quiet = true;
  held->is_quiet = set(held->tid, (mask | ~(FAULTS | OF_LIBRARY)) & ~SETUID);
}

void quiet_end(struct held *held) {
  if (held->is_quiet && set(held->tid, held->mask)) held->is_quiet = false;
}
