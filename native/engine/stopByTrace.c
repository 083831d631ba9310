/* Stopping threads by ptrace, see stop.h.
 *
 * A thread may not trace its own process, so a helper does: a child that shares our memory, lives
 * for one stop and has all signals blocked. When it ends early, the kernel lets its threads go on.
 * A stop by PTRACE_INTERRUPT leaves no trace: system calls are restarted by the kernel. */
#include "maps.h"
#include "stop.h"

#define CLONE_VM 0x100
#define CLONE_FS 0x200
#define CLONE_FILES 0x400
#define CLONE_UNTRACED 0x800000
#define WAIT_NO_HANG 1
#define WAIT_ALL 0x40000000
#define PR_SET_PTRACER 0x59616d61
#define PTRACE_PEEKUSER 3
#define PTRACE_POKEUSER 6
#define PTRACE_DETACH 17
#define PTRACE_SEIZE 0x4206
#define PTRACE_INTERRUPT 0x4207
#define PTRACE_EVENT_STOP 128
#define USER_RIP 128
#define USER_RSP 152
#define STACK_BYTES 0x10000ul

struct traced {
  u32 tid;
  u8 is_stopped;
  u8 is_gone;
  u8 signal; /* caught on its way: delivered when the thread goes on */
};

struct job {
  const struct stop_work *work;
  u32 caller;
  u32 may_begin;
  int result;
  int is_refused;
  u32 count;
  struct traced threads[STOP_MAX_THREADS];
};

static struct job job;

static void seize(u32 tid, void *argument) {
  u32 *added = argument;
  for (u32 i = 0; i < job.count; i++)
    if (job.threads[i].tid == tid) return;
  if (tid == job.caller || job.count == STOP_MAX_THREADS || job.is_refused || !stop_is_running(tid)) return;
  long failed = raw4(__NR_ptrace, PTRACE_SEIZE, tid, 0, 0);
  if (failed == -ERR_SEARCH) return;
  if (failed) {
    job.is_refused = 1;
    return;
  }
  struct traced *thread = &job.threads[job.count++];
  thread->tid = tid;
  thread->is_stopped = thread->is_gone = thread->signal = 0;
  raw4(__NR_ptrace, PTRACE_INTERRUPT, tid, 0, 0);
  ++*added;
}

/* Returns whether the thread is where it must be: stopped, or ended. */
static int is_settled(struct traced *thread) {
  if (thread->is_stopped || thread->is_gone) return 1;
  int status = 0;
  long got = raw4(__NR_wait4, thread->tid, &status, WAIT_NO_HANG | WAIT_ALL, 0);
  if (got == 0) return 0;
  if (got < 0 || (status & 0xff) != 0x7f) {
    thread->is_gone = 1;
    return 1;
  }
  thread->is_stopped = 1;
  if (status >> 16 != PTRACE_EVENT_STOP) thread->signal = status >> 8 & 0xff;
  return 1;
}

static int settle_all(u64 limit) {
  for (u32 i = 0; i < job.count; i++) {
    while (!is_settled(&job.threads[i])) {
      raw0(__NR_sched_yield);
      if (stop_now() > limit) return 0;
    }
  }
  return 1;
}

static int move_and_count(void) {
  int stopped = 0;
  for (u32 i = 0; i < job.count; i++) {
    struct traced *thread = &job.threads[i];
    u64 pc = 0;
    if (!thread->is_stopped) continue;
    stopped++;
    if (raw4(__NR_ptrace, PTRACE_PEEKUSER, thread->tid, USER_RIP, &pc)) continue;
    u64 moved = job.work->move(pc);
    if (moved != pc) raw4(__NR_ptrace, PTRACE_POKEUSER, thread->tid, USER_RIP, moved);
    u64 sp = 0;
    if (!raw4(__NR_ptrace, PTRACE_PEEKUSER, thread->tid, USER_RSP, &sp)) stop_move_handlers(sp, job.work->move);
  }
  return stopped;
}

static void move_waiting(u32 tid, void *argument) {
  (void)argument;
  u64 sp = stop_waiting_at(tid);
  if (sp && tid != job.caller) stop_move_handlers(sp, job.work->move);
}

static void help(void) {
  while (!__atomic_load_n(&job.may_begin, __ATOMIC_ACQUIRE)) raw0(__NR_sched_yield);
  u64 limit = stop_now() + STOP_WAIT_NS;
  u32 added;
  do {
    added = 0;
    stop_each_thread(seize, &added);
    if (!settle_all(limit)) job.is_refused = 1;
  } while (added && !job.is_refused);
  if (!job.is_refused) {
    job.result = move_and_count();
    stop_each_thread(move_waiting, 0);
    job.work->run(job.work->argument);
  }
  for (u32 i = 0; i < job.count; i++) {
    struct traced *thread = &job.threads[i];
    if (thread->is_stopped) raw4(__NR_ptrace, PTRACE_DETACH, thread->tid, 0, thread->signal);
  }
}

long stop_start_helper(void (*work)(void), u8 *stack_top) {
  long result;
  register long r8 __asm__("r8") = 0;
  register long r10 __asm__("r10") = 0;
  __asm__ volatile(
      "syscall\n test %%rax, %%rax\n jnz 1f\n"
      "xor %%ebp, %%ebp\n call *%[help]\n"
      "xor %%edi, %%edi\n mov %[exit], %%eax\n syscall\n"
      "1:"
      : "=a"(result)
      : "a"(__NR_clone), "D"(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED), "S"(stack_top), "d"(0L), "r"(r10),
        "r"(r8), [help] "b"(work), [exit] "i"(__NR_exit)
      : "rcx", "r11", "memory");
  return result;
}

int stop_by_trace(const struct stop_work *work) {
  u64 all = ~0ul, before = 0;
  u8 *stack = map_memory(STACK_BYTES);
  if (!stack) return -1;
  job.work = work;
  job.caller = (u32)raw0(__NR_gettid);
  job.may_begin = job.count = 0;
  job.result = 0;
  job.is_refused = 0;
  raw4(__NR_rt_sigprocmask, 0, &all, &before, 8);
  long helper = stop_start_helper(help, stack + STACK_BYTES);
  if (helper > 0) {
    raw2(__NR_prctl, PR_SET_PTRACER, helper); /* where Yama asks for it; elsewhere an error */
    __atomic_store_n(&job.may_begin, 1, __ATOMIC_RELEASE);
    int status;
    while (raw4(__NR_wait4, helper, &status, WAIT_ALL, 0) == -ERR_INTR) continue;
  }
  raw4(__NR_rt_sigprocmask, 2, &before, 0, 8);
  unmap_memory(stack, STACK_BYTES);
  return helper > 0 && !job.is_refused ? job.result : -1;
}
