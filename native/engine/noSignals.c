/* The instrumentation's threads take none of the program's signals.
 *
 * A signal to the process goes to any thread that does not block it (signal(7)). With threads that
 * block nothing beside it, a program could not block one: its handler would run on a thread that is
 * not the program's (to leave it by siglongjmp crashes), and what it waits for by sigwait would end
 * it. Threads inherit the mask of the one that starts them. Frida's first one has it from
 * native/host/quiet.c, and so has what descends from it. Here faults are let through, which the
 * program may block in the thread that Frida came by, and it is made sure of the rest.
 */
#include "noSignals.h"
#include "clock.h"
#include "raw.h"
#include "signals.h"
#include "stopWork.h"
#include "tracer.h"

#define STACK_BYTES 0x4000ul
#define BIT(number) (1ul << ((number) - 1))
/* Which the instrumentation's own handler waits for. */
#define FAULTS (BIT(4) | BIT(5) | BIT(7) | BIT(8) | BIT(11) | BIT(31))
/* Of the C libraries: setuid(2) waits for every thread to take 33, or in musl 34. */
#define OF_LIBRARIES (BIT(32) | BIT(33) | BIT(34))

static u64 blocked_beside(u64 mask) { return (mask | ~OF_LIBRARIES) & ~FAULTS; }

/* Of the C library (setuid): it alone can block it (glibc __libc_signal_block_all, musl
 * __block_all_sigs), and does for a moment, as when a thread begins another: the mask from before
 * is what both have afterwards. */
#define IN_LIBRARY BIT(33)
#define FIRST_PAUSE_NS 100000ul
#define LONGEST_PAUSE_NS 5000000ul
#define PATIENCE_NS 2000000000ul

static struct {
  const u32 *tids;
  u32 count, caller, refused;
} job;
static struct tracer tracer;

enum answer { REFUSED, BLOCKED, LATER };

static enum answer set_mask(u32 tid) {
  u64 mask = 0;
  if (raw4(__NR_ptrace, PTRACE_GETSIGMASK, tid, sizeof mask, &mask)) return REFUSED;
  if (mask & IN_LIBRARY) return LATER;
  mask = blocked_beside(mask);
  return raw4(__NR_ptrace, PTRACE_SETSIGMASK, tid, sizeof mask, &mask) == 0 ? BLOCKED : REFUSED;
}

static enum answer try_to_block(u32 tid, u64 limit) {
  long failed = tracer_interrupt(tid);
  if (failed) return failed == -ERR_SEARCH ? BLOCKED : REFUSED;
  int status;
  while ((status = tracer_stopped(tid)) == 0) {
    if (clock_now() > limit) return REFUSED;
    raw0(__NR_sched_yield);
  }
  if (status < 0) return BLOCKED; /* it has ended */
  enum answer answer = set_mask(tid);
  int signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : status >> 8 & 0xff;
  raw4(__NR_ptrace, PTRACE_DETACH, tid, 0, signal);
  return answer;
}

/* Between two tries it must come further: a clone that is interrupted is begun anew. */
static int block_in(u32 tid, u64 limit) {
  u64 pause[2] = {0, FIRST_PAUSE_NS}, end = clock_now() + PATIENCE_NS;
  enum answer answer;
  while ((answer = try_to_block(tid, limit)) == LATER && clock_now() < end) {
    raw2(__NR_nanosleep, pause, 0);
    if (pause[1] < LONGEST_PAUSE_NS) pause[1] *= 2;
  }
  return answer == BLOCKED;
}

static void help(void) {
  tracer_await_permit(&tracer);
  u64 limit = clock_now() + STOP_WAIT_NS;
  for (u32 i = 0; i < job.count; i++)
    if (job.tids[i] != job.caller) job.refused += !block_in(job.tids[i], limit);
}

static void set_own_mask(void) {
  u64 mask;
  signals_block(&mask);
  mask = blocked_beside(mask);
  signals_set(&mask);
}

u32 threads_take_no_signals(const u32 *tids, u32 count) {
  job.tids = tids;
  job.count = count;
  job.caller = (u32)raw0(__NR_gettid);
  job.refused = 0;
  if (tracer_start(&tracer, help, STACK_BYTES, TRACER_SHARES_FILES)) tracer_end(&tracer);
  else job.refused = count;
  for (u32 i = 0; i < count; i++)
    if (tids[i] == job.caller) set_own_mask();
  return job.refused;
}
