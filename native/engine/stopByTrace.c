/* Stopping threads by ptrace, see stop.h. */
#include "stopByTrace.h"
#include "clock.h"
#include "context.h"
#include "raw.h"
#include "stopWork.h"
#include "tasks.h"
#include "tracer.h"

#define STACK_BYTES 0x10000ul
#define ENDING_NS 100000000ul

struct traced {
  u32 tid;
  u8 is_stopped;
  u8 is_gone;
  u8 signal; /* caught on its way: delivered when the thread goes on */
};

struct job {
  const struct stop_work *work;
  u32 caller;
  int result;
  int is_refused, is_held;
  u32 count;
  struct traced threads[STOP_MAX_THREADS];
};

static struct job job;
static struct tracer tracer;

/* A thread that is ending may not be traced either, and is gone in a moment. */
static long seized(u32 tid) {
  long failed;
  u64 limit = clock_now() + ENDING_NS;
  while ((failed = tracer_interrupt(tid)) == -ERR_PERM) {
    if (!task_must_stop(tid, job.work->move)) return -ERR_SEARCH;
    if (clock_now() > limit) break;
    raw0(__NR_sched_yield);
  }
  return failed;
}

static void seize(u32 tid, void *argument) {
  u32 *added = argument;
  for (u32 i = 0; i < job.count; i++)
    if (job.threads[i].tid == tid) return;
  if (tid == job.caller || job.is_refused || !task_must_stop(tid, job.work->move)) return;
  long failed = job.count == STOP_MAX_THREADS ? -ERR_NO_MEMORY : seized(tid);
  if (failed == -ERR_SEARCH) return;
  if (failed) {
    job.is_refused = 1;
    job.is_held = failed == -ERR_PERM || failed == -ERR_NO_CALL;
    return;
  }
  struct traced *thread = &job.threads[job.count++];
  thread->tid = tid;
  thread->is_stopped = thread->is_gone = thread->signal = 0;
  ++*added;
}

/* Returns whether the thread is where it must be: stopped, or ended. */
static int is_settled(struct traced *thread) {
  if (thread->is_stopped || thread->is_gone) return 1;
  int status = tracer_stopped(thread->tid);
  thread->is_gone = status < 0;
  thread->is_stopped = status > 0;
  if (status > 0 && status >> 16 != PTRACE_EVENT_STOP) thread->signal = status >> 8 & 0xff;
  return status != 0;
}

static int settle_all(u64 limit) {
  for (u32 i = 0; i < job.count; i++) {
    while (!is_settled(&job.threads[i])) {
      raw0(__NR_sched_yield);
      if (clock_now() > limit || tracer_is_left(&tracer)) return 0;
    }
  }
  return 1;
}

static int move_and_count(void) {
  int stopped = 0;
  for (u32 i = 0; i < job.count; i++) {
    struct traced *thread = &job.threads[i];
    u64 pc = 0, sp = 0;
    if (!thread->is_stopped) continue;
    stopped++;
    if (context_place(thread->tid, &pc, &sp)) continue;
    u64 moved = job.work->move(pc);
    if (moved != pc) context_move(thread->tid, moved);
    context_move_handlers(sp, job.work->move);
  }
  return stopped;
}

static void move_waiting(u32 tid, void *argument) {
  (void)argument;
  u64 sp = task_waiting_at(tid);
  if (sp && tid != job.caller) context_move_handlers(sp, job.work->move);
}

static void help(void) {
  tracer_await_permit(&tracer);
  u64 limit = clock_now() + STOP_WAIT_NS;
  u32 added;
  do {
    added = 0;
    tasks_each(seize, &added);
    if (!settle_all(limit)) job.is_refused = 1;
  } while (added && !job.is_refused);
  /* A thread in the middle of execve cannot be traced before its new program stands there, which is
   * not to be touched. */
  if (tracer_is_left(&tracer)) job.is_refused = 1;
  if (!job.is_refused) {
    job.result = move_and_count();
    tasks_each(move_waiting, 0);
    job.work->run(job.work->argument);
  }
  for (u32 i = 0; i < job.count; i++) {
    struct traced *thread = &job.threads[i];
    if (thread->is_stopped) raw4(__NR_ptrace, PTRACE_DETACH, thread->tid, 0, thread->signal);
  }
}

int stop_by_trace(const struct stop_work *work) {
  job.work = work;
  job.caller = (u32)raw0(__NR_gettid);
  job.count = 0;
  job.result = STOP_LATE;
  job.is_refused = job.is_held = 0;
  if (!tracer_start(&tracer, help, STACK_BYTES, TRACER_SHARES_FILES))
    return tracer.pid == -ERR_INVALID ? STOP_HELD : STOP_LATE;
  tracer_end(&tracer);
  return job.is_held ? STOP_HELD : job.result;
}
