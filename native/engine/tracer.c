/* A child that may trace the threads of its parent, see tracer.h. */
#include "tracer.h"
#include "clock.h"
#include "context.h"
#include "maps.h"
#include "process.h"
#include "raw.h"
#include "signals.h"

#define CLONE_VM 0x100
#define CLONE_FILES 0x400
#define CLONE_UNTRACED 0x800000
#define PR_SET_NAME 15
#define PR_SET_PTRACER 0x59616d61
#define YIELDS_TO_LOOK 64
#define PERMIT_NS 2000000000ul

static void give_back(struct tracer *tracer) {
  signals_set(&tracer->mask);
  unmap_memory(tracer->stack, tracer->stack_bytes);
}

int tracer_start(struct tracer *tracer, void (*work)(void), u64 stack_bytes,
                 enum tracer_files files) {
  /* Not CLONE_FS: beside a thread that executes a program it is refused (EAGAIN), and one with more
   * rights would not get them. */
  u64 flags = CLONE_VM | CLONE_UNTRACED | (files == TRACER_SHARES_FILES ? CLONE_FILES : 0);
  tracer->may_begin = tracer->has_ended = 0;
  tracer->starter = raw0(__NR_getpid);
  tracer->stack_bytes = stack_bytes;
  tracer->stack = map_memory(stack_bytes);
  if (!tracer->stack) return 0;
  /* By this mask and by its end without a signal it is told from children of the program
   * (procFacts.ts). */
  signals_block(&tracer->mask);
  tracer->pid = context_clone(work, tracer->stack + stack_bytes, flags);
  if (tracer->pid <= 0) {
    give_back(tracer);
    return 0;
  }
  raw2(__NR_prctl, PR_SET_PTRACER, tracer->pid); /* where Yama asks for it; elsewhere an error */
  __atomic_store_n(&tracer->may_begin, 1, __ATOMIC_RELEASE);
  return 1;
}

int tracer_is_left(const struct tracer *tracer) {
  return raw0(__NR_getppid) != tracer->starter || process_is_apart(tracer->starter);
}

void tracer_await_permit(const struct tracer *tracer) {
  raw2(__NR_prctl, PR_SET_NAME, (long)"strobe-tracer");
  u64 limit = clock_now() + PERMIT_NS;
  for (u32 yields = 1; !__atomic_load_n(&tracer->may_begin, __ATOMIC_ACQUIRE); yields++) {
    /* A process that is killed before it gives the permit, or executes another program, leaves this
     * one behind. */
    if (yields % YIELDS_TO_LOOK == 0 && (tracer_is_left(tracer) || clock_now() > limit))
      raw2(__NR_exit, 0, 0);
    raw0(__NR_sched_yield);
  }
}

int tracer_has_ended(struct tracer *tracer) {
  int status;
  if (!tracer->has_ended)
    tracer->has_ended = raw4(__NR_wait4, tracer->pid, &status, WAIT_NO_HANG | WAIT_ALL, 0) != 0;
  return (int)tracer->has_ended;
}

void tracer_end(struct tracer *tracer) {
  int status;
  while (!tracer->has_ended && raw4(__NR_wait4, tracer->pid, &status, WAIT_ALL, 0) == -ERR_INTR)
    continue;
  give_back(tracer);
}

long tracer_interrupt(u32 tid) {
  long failed = raw4(__NR_ptrace, PTRACE_SEIZE, tid, 0, 0);
  if (!failed) raw4(__NR_ptrace, PTRACE_INTERRUPT, tid, 0, 0);
  return failed;
}

int tracer_stopped(u32 tid) {
  int status = 0;
  long got = raw4(__NR_wait4, tid, &status, WAIT_NO_HANG | WAIT_ALL, 0);
  if (got == 0) return 0;
  return got < 0 || (status & 0xff) != 0x7f ? -1 : status;
}
