/* The other threads of a dying process, see crash.h.
 *
 * A thread may not trace its own process, so a helper that shares our memory does, as when code is
 * patched (stopByTrace.c). Here every thread is stopped, those that wait in the kernel too: none of
 * them will go on for long. While the helper holds them, the dying thread copies what they leave. */
#include "crash.h"
#include "maps.h"
#include "stop.h"

#define PTRACE_GETREGS 12
#define PTRACE_SEIZE 0x4206
#define PTRACE_INTERRUPT 0x4207
#define WAIT_NO_HANG 1
#define WAIT_ALL 0x40000000
#define PR_SET_PTRACER 0x59616d61
#define STACK_BYTES 0x4000ul
#define SETTLE_NS 500000000ul
#define TOTAL_NS 3000000000ul
/* user_regs_struct, in words. */
#define USER_WORDS 27

/* Where user_regs_struct keeps DWARF's registers 0..16, then fs_base and orig_rax. */
static const u8 order[CRASH_REGISTER_WORDS] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16, 21, 15};

static struct {
  u32 caller, may_begin, is_held, is_done, count;
  struct crash_thread threads[CRASH_MAX_THREADS];
} job;

static void seize(u32 tid, void *argument) {
  u32 *added = argument;
  for (u32 i = 0; i < job.count; i++)
    if (job.threads[i].tid == tid) return;
  if (tid == job.caller || job.count == CRASH_MAX_THREADS) return;
  struct crash_thread *thread = &job.threads[job.count++];
  thread->tid = tid;
  thread->is_known = 0;
  if (raw4(__NR_ptrace, PTRACE_SEIZE, tid, 0, 0) != 0) return;
  raw4(__NR_ptrace, PTRACE_INTERRUPT, tid, 0, 0);
  ++*added;
}

static void look(struct crash_thread *thread, u64 limit) {
  int status = 0;
  for (;;) {
    long got = raw4(__NR_wait4, thread->tid, &status, WAIT_NO_HANG | WAIT_ALL, 0);
    if (got > 0) break;
    if (got < 0 || stop_now() > limit) return;
    raw0(__NR_sched_yield);
  }
  if ((status & 0xff) != 0x7f) return;
  u64 words[USER_WORDS];
  if (raw4(__NR_ptrace, PTRACE_GETREGS, thread->tid, 0, words) != 0) return;
  for (u32 i = 0; i < CRASH_REGISTER_WORDS; i++) thread->registers[i] = words[order[i]];
  thread->is_known = 1;
}

static void help(void) {
  u64 limit = stop_now() + SETTLE_NS, end = stop_now() + TOTAL_NS;
  while (!__atomic_load_n(&job.may_begin, __ATOMIC_ACQUIRE)) raw0(__NR_sched_yield);
  u32 added, looked = 0;
  do {
    added = 0;
    stop_each_thread(seize, &added);
    for (; looked < job.count; looked++) look(&job.threads[looked], limit);
  } while (added && stop_now() < limit);
  __atomic_store_n(&job.is_held, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&job.is_done, __ATOMIC_ACQUIRE) && stop_now() < end) raw0(__NR_sched_yield);
}

u32 crash_each_thread(u32 self, void (*see)(struct crash_thread *)) {
  u64 all = ~0ul, before = 0;
  u32 missed = 0;
  u8 *stack = map_memory(STACK_BYTES);
  if (!stack) return 1;
  job.caller = self;
  raw4(__NR_rt_sigprocmask, 0, &all, &before, 8);
  long helper = stop_start_helper(help, stack + STACK_BYTES);
  if (helper <= 0) missed = 1;
  else {
    raw2(__NR_prctl, PR_SET_PTRACER, helper);
    __atomic_store_n(&job.may_begin, 1, __ATOMIC_RELEASE);
    int status;
    long ended = 0;
    while (!__atomic_load_n(&job.is_held, __ATOMIC_ACQUIRE) && !ended) {
      ended = raw4(__NR_wait4, helper, &status, WAIT_NO_HANG | WAIT_ALL, 0);
      raw0(__NR_sched_yield);
    }
    for (u32 i = 0; i < job.count; i++) {
      if (job.threads[i].is_known) see(&job.threads[i]);
      else missed++;
    }
    __atomic_store_n(&job.is_done, 1, __ATOMIC_RELEASE);
    while (!ended && raw4(__NR_wait4, helper, &status, WAIT_ALL, 0) == -ERR_INTR) continue;
  }
  raw4(__NR_rt_sigprocmask, 2, &before, 0, 8);
  return missed;
}
