/* The other threads of a dying process, see crash.h.
 *
 * A tracer stops them, as when code is patched (stopByTrace.c). Here every thread is stopped, those
 * that wait in the kernel too: none of them will go on for long. While the tracer holds them, the
 * dying thread copies what they leave. */
#include "context.h"
#include "crash.h"
#include "stop.h"
#include "tracer.h"

#define STACK_BYTES 0x8000ul
#define SETTLE_NS 500000000ul
#define TOTAL_NS 3000000000ul
static struct {
  u32 caller, is_held, is_done, count;
  struct crash_thread threads[CRASH_MAX_THREADS];
} job;
static struct tracer tracer;

static void seize(u32 tid, void *argument) {
  u32 *added = argument;
  for (u32 i = 0; i < job.count; i++)
    if (job.threads[i].tid == tid) return;
  if (tid == job.caller || job.count == CRASH_MAX_THREADS) return;
  struct crash_thread *thread = &job.threads[job.count++];
  thread->tid = tid;
  thread->is_known = 0;
  if (tracer_interrupt(tid) == 0) ++*added;
}

static void look(struct crash_thread *thread, u64 limit) {
  int status;
  while ((status = tracer_stopped(thread->tid)) == 0) {
    if (stop_now() > limit) return;
    raw0(__NR_sched_yield);
  }
  if (status < 0) return;
  if (context_registers(thread->tid, thread->registers)) return;
  thread->name_length = crash_thread_name(thread->tid, thread->name);
  thread->is_known = 1;
}

static void help(void) {
  u64 limit = stop_now() + SETTLE_NS, end = stop_now() + TOTAL_NS;
  tracer_await_permit(&tracer);
  raw1(__NR_close, 0);
  u32 added, looked = 0;
  do {
    added = 0;
    stop_each_thread(seize, &added);
    for (; looked < job.count; looked++) look(&job.threads[looked], limit);
  } while (added && stop_now() < limit);
  __atomic_store_n(&job.is_held, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&job.is_done, __ATOMIC_ACQUIRE) && stop_now() < end)
    raw0(__NR_sched_yield);
}

u32 crash_each_thread(u32 self, void (*see)(struct crash_thread *)) {
  u32 missed = 0;
  job.caller = self;
  if (!tracer_start(&tracer, help, STACK_BYTES, TRACER_COPIES_FILES)) return 1;
  while (!__atomic_load_n(&job.is_held, __ATOMIC_ACQUIRE) && !tracer_has_ended(&tracer))
    raw0(__NR_sched_yield);
  for (u32 i = 0; i < job.count; i++) {
    if (job.threads[i].is_known) see(&job.threads[i]);
    else missed++;
  }
  __atomic_store_n(&job.is_done, 1, __ATOMIC_RELEASE);
  tracer_end(&tracer);
  return missed;
}
