/* The other threads of a dying process, see crash.h.
 *
 * A tracer stops them, as when code is patched (stopByTrace.c). Here every thread is stopped, those
 * that wait in the kernel too: none of them will go on for long. While the tracer holds them, the
 * dying thread copies what they leave. */
#include "crashThreads.h"
#include "clock.h"
#include "context.h"
#include "cpu.h"
#include "process.h"
#include "raw.h"
#include "tasks.h"
#include "text.h"
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

u32 crash_name_length(const u8 *text, u32 most) {
  u32 length = 0;
  while (length < most && text[length] && text[length] != '\n') length++;
  return length;
}

static u32 thread_name(u32 tid, u8 *name) {
  char path[64];
  u32 at = put_text(path, put_number(path, put_text(path, 0, "/proc/"), engine_pid), "/task/");
  put_text(path, put_number(path, at, tid), "/comm");
  long file = raw_open(path, OPEN_READ, 0);
  if (file < 0) return 0;
  long got = raw3(__NR_read, file, name, CRASH_NAME_BYTES);
  raw1(__NR_close, file);
  return got > 0 ? crash_name_length(name, (u32)got) : 0;
}

static void look(struct crash_thread *thread, u64 limit) {
  int status;
  while ((status = tracer_stopped(thread->tid)) == 0) {
    if (clock_now() > limit) return;
    raw0(__NR_sched_yield);
  }
  if (status < 0) return;
  if (context_registers(thread->tid, thread->registers)) return;
  thread->name_length = thread_name(thread->tid, thread->name);
  thread->is_known = 1;
}

static void help(void) {
  u64 limit = clock_now() + SETTLE_NS, end = clock_now() + TOTAL_NS;
  tracer_await_permit(&tracer);
  raw1(__NR_close, 0);
  u32 added, looked = 0;
  do {
    added = 0;
    tasks_each(seize, &added);
    for (; looked < job.count; looked++) look(&job.threads[looked], limit);
  } while (added && clock_now() < limit);
  __atomic_store_n(&job.is_held, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&job.is_done, __ATOMIC_ACQUIRE) && clock_now() < end)
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
