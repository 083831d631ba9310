/* See process.h. */
#define _GNU_SOURCE
#include "process.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static pid_t process;
/* What a signal says that came to the thread that makes our calls: these would take it away. */
static siginfo_t said;
static pid_t said_to;

static void keep_signal(struct thread *thread, int signal) {
  thread->signal = signal;
  if (ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &said) == 0) said_to = thread->tid;
}

static void let_go(pid_t tid, int signal) { ptrace(PTRACE_DETACH, tid, 0, (void *)(long)signal); }

/* One that is born while we come: a thread is stopped like the others, a child runs on. */
static void take_birth(const struct thread *parent) {
  unsigned long born = 0;
  int status;
  ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &born);
  if (!born || thread_find((pid_t)born)) return;
  if (is_thread_of(process, (pid_t)born)) {
    thread_add((pid_t)born);
    return;
  }
  if (waitpid((pid_t)born, &status, __WALL) == (pid_t)born && WIFSTOPPED(status))
    let_go((pid_t)born, 0);
}

/* Returns whether it is still there. */
static int take_stop(struct thread *thread) {
  int status;
  while (waitpid(thread->tid, &status, __WALL) < 0)
    if (errno != EINTR) return 0;
  if (!WIFSTOPPED(status)) return 0;
  int event = status >> 16;
  if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
    take_birth(thread);
  if (!event) thread->signal = WSTOPSIG(status);
  thread->state = THREAD_HELD;
  return registers_read(thread);
}

int process_stop(pid_t pid) {
  process = pid;
  int found = threads_seize(pid), is_new = 1;
  while (found >= 0 && is_new) {
    is_new = 0;
    for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
      if (thread->state == THREAD_RUNS) ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
    for (struct thread *thread = thread_next(0), *next; thread; thread = next) {
      next = thread_next(thread);
      if (thread->state != THREAD_RUNS) continue;
      is_new = 1;
      if (!take_stop(thread)) thread_remove(thread);
      /* Removing puts the last in its place. */
      next = thread_next(0);
    }
    found = threads_seize(pid);
  }
  if (found > 0) return 0;
  process_go_on();
  return found < 0 ? -found : ESRCH;
}

void process_go_on(void) {
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(0)) {
    if (thread->tid == said_to) ptrace(PTRACE_SETSIGINFO, thread->tid, 0, &said);
    let_go(thread->tid, thread->signal);
    thread_remove(thread);
  }
  said_to = 0;
}

long process_call(u64 instruction, long number, const u64 arguments[6]) {
  struct thread *thread = thread_find(process);
  if (!thread) thread = thread_next(0);
  if (!thread) return -ESRCH;
  if (thread->signal && said_to != thread->tid) keep_signal(thread, thread->signal);
  struct user_regs_struct registers = thread->registers;
  registers.rip = instruction;
  registers.rax = (u64)number;
  registers.orig_rax = ~0ul;
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  registers.r9 = arguments[5];
  if (ptrace(PTRACE_SETREGS, thread->tid, 0, &registers)) return -errno;
  for (;;) {
    int status;
    if (ptrace(PTRACE_SINGLESTEP, thread->tid, 0, 0)) return -errno;
    if (waitpid(thread->tid, &status, __WALL) != thread->tid || !WIFSTOPPED(status)) return -ESRCH;
    if (WSTOPSIG(status) != SIGTRAP && !(status >> 16)) keep_signal(thread, WSTOPSIG(status));
    if (ptrace(PTRACE_GETREGS, thread->tid, 0, &registers)) return -errno;
    if (registers.rip == instruction + 2) break;
  }
  registers_write(thread);
  return (long)registers.rax;
}
