/* See quiet.h. */
#define _GNU_SOURCE
#include "quiet.h"
#include "realPtrace.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#define BIT(number) (UINT64_C(1) << ((number) - 1))
#define FAULTS (BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGSEGV) | BIT(SIGSYS))
/* The C library cancels threads by it, or runs timers: whether it may come is for it to say. */
#define OF_LIBRARY BIT(32)
/* By these setuid(2) waits for every thread; 34 in musl, in glibc it is the program's own. */
#define SETUID BIT(33)
#define SETUID_OF_MUSL BIT(34)

static bool has_glibc(pid_t tid) {
  char path[64], line[512];
  bool has = false;
  snprintf(path, sizeof path, "/proc/%d/maps", tid);
  FILE *maps = fopen(path, "re");
  while (maps && !has && fgets(line, sizeof line, maps))
    has = strstr(line, "/ld-linux") || strstr(line, "/libc.so.6");
  if (maps) fclose(maps);
  return has;
}

static bool set(pid_t tid, uint64_t mask) {
  return real_ptrace()(PTRACE_SETSIGMASK, tid, (void *)sizeof mask, &mask) == 0;
}

void quiet_begin(struct held *held) {
  uint64_t mask, setuid = SETUID | (has_glibc(held->tid) ? 0 : SETUID_OF_MUSL);
  if (held->is_quiet ||
      real_ptrace()(PTRACE_GETSIGMASK, held->tid, (void *)sizeof mask, &mask) != 0)
    return;
  held->mask = mask;
  held->is_quiet = true;
  held->is_quiet = set(held->tid, (mask | ~(FAULTS | OF_LIBRARY)) & ~setuid);
}

void quiet_end(struct held *held) {
  if (held->is_quiet && set(held->tid, held->mask)) held->is_quiet = false;
}
