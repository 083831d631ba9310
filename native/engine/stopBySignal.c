/* Stopping threads by signal, see stop.h.
 *
 * The signal is glibc's SIGSETXID (33): glibc keeps it out of every mask a program can set, so
 * threads that block "all" signals can be parked too. Ours are told from glibc's by a queued
 * value; others go on to the handler that was there. The displaced disposition comes back as
 * soon as every signal sent was delivered. A thread that executes another program takes along one
 * that it has not seen, and ends by it: so this way is for those alone that cannot be traced. */
#include "stopBySignal.h"
#include "clock.h"
#include "cpu.h"
#include "process.h"
#include "raw.h"
#include "stopWork.h"
#include "tasks.h"

#define SIGNAL 33
#define SIGNAL_QUEUE (-1)
#define FLAG_SIGINFO 4u
#define FLAG_ON_STACK 0x08000000u
#define FLAG_RESTART 0x10000000u

struct kernel_action {
  void (*handler)(int, void *, void *);
  u64 flags;
  void (*restorer)(void);
  u64 mask;
};

struct signal_information {
  int number, error, code, padding;
  int pid;
  u32 uid;
  u64 value;
  u64 rest[12];
};

static struct {
  struct kernel_action displaced;
  u64 (*move)(u64);
  u32 caller;
  u32 ticket; /* of the stop under way, in the signals' values */
  u32 gate;
  u32 sent, arrived, left;
  u32 outstanding; /* signals of earlier stops that were not delivered yet */
  u32 installed;
  u32 tids[STOP_MAX_THREADS];
  u8 seen[STOP_MAX_THREADS];
} stop;

static void on_signal(int number, void *information, void *raw_context) {
  struct signal_information *info = information;
  u32 index = (u32)info->value, ticket = (u32)(info->value >> 32);
  int ours = info->code == SIGNAL_QUEUE && (u32)info->pid == engine_pid && ticket >> 16 == 0x5354;
  if (!ours) {
    if ((u64)stop.displaced.handler > 1) stop.displaced.handler(number, information, raw_context);
    return;
  }
  if (ticket != __atomic_load_n(&stop.ticket, __ATOMIC_ACQUIRE)) {
    __atomic_fetch_sub(&stop.outstanding, 1, __ATOMIC_RELEASE);
    return;
  }
  if (index < STOP_MAX_THREADS) __atomic_store_n(&stop.seen[index], 1, __ATOMIC_RELEASE);
  __atomic_fetch_add(&stop.arrived, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&stop.gate, __ATOMIC_ACQUIRE)) raw0(__NR_sched_yield);
  u64 *pc = (u64 *)raw_context + CONTEXT_PC;
  *pc = stop.move(*pc);
  __atomic_fetch_add(&stop.left, 1, __ATOMIC_RELEASE);
}

static int was_sent(u32 tid) {
  for (u32 i = 0; i < stop.sent; i++)
    if (stop.tids[i] == tid) return 1;
  return 0;
}

static void install(void) {
  if (stop.installed) return;
  struct kernel_action action = {on_signal,
                                 FLAG_SIGINFO | FLAG_RESTORER | FLAG_ON_STACK | FLAG_RESTART,
                                 SIGNAL_RESTORER, ~0ul};
  stop.installed = raw4(__NR_rt_sigaction, SIGNAL, &action, &stop.displaced, 8) == 0;
}

static void send(u32 tid) {
  u32 index = stop.sent;
  if (index >= STOP_MAX_THREADS || !stop.installed) return;
  if (index == 0) __atomic_store_n(&stop.gate, 1, __ATOMIC_RELEASE);
  stop.tids[index] = tid;
  stop.seen[index] = 0;
  struct signal_information info = {0};
  info.number = SIGNAL;
  info.code = SIGNAL_QUEUE;
  info.pid = (int)engine_pid;
  info.value = (u64)stop.ticket << 32 | index;
  if (raw4(__NR_rt_tgsigqueueinfo, engine_pid, tid, SIGNAL, &info) == 0) stop.sent++;
}

static void signal_thread(u32 tid, void *argument) {
  u32 *added = argument;
  if (tid == stop.caller || was_sent(tid) || !task_must_stop(tid, stop.move)) return;
  install();
  send(tid);
  ++*added;
}

/* A thread that went to sleep in a system call before its signal came counts as stopped. */
static int all_stopped(void) {
  for (u32 i = 0; i < stop.sent; i++)
    if (!__atomic_load_n(&stop.seen[i], __ATOMIC_ACQUIRE) &&
        task_must_stop(stop.tids[i], stop.move))
      return 0;
  return 1;
}

/* Returns whether no thread runs any more. */
static int park(u64 (*move)(u64)) {
  stop.move = move;
  stop.sent = stop.arrived = stop.left = 0;
  u32 count = (stop.ticket + 1) & 0xffff, added;
  stop.caller = (u32)raw0(__NR_gettid);
  __atomic_store_n(&stop.ticket, 0x53540000u | count, __ATOMIC_RELEASE);
  u64 limit = clock_now() + STOP_WAIT_NS;
  do {
    added = 0;
    tasks_each(signal_thread, &added);
    for (u32 spin = 0; __atomic_load_n(&stop.arrived, __ATOMIC_ACQUIRE) < stop.sent; spin++) {
      raw0(__NR_sched_yield);
      if (spin % 64 == 63 && (all_stopped() || clock_now() > limit)) break;
    }
  } while (added && clock_now() < limit);
  return !added && all_stopped();
}

static void resume(void) {
  if (!stop.sent) return;
  __atomic_store_n(&stop.gate, 0, __ATOMIC_RELEASE);
  while (__atomic_load_n(&stop.left, __ATOMIC_ACQUIRE) <
         __atomic_load_n(&stop.arrived, __ATOMIC_ACQUIRE))
    raw0(__NR_sched_yield);
  /* From here on late signals of this stop only count down. */
  __atomic_store_n(&stop.ticket, stop.ticket & 0xffff, __ATOMIC_RELEASE);
  u32 late = stop.sent - __atomic_load_n(&stop.left, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&stop.outstanding, late, __ATOMIC_ACQ_REL) != 0) return;
  struct kernel_action current;
  raw4(__NR_rt_sigaction, SIGNAL, 0, &current, 8);
  if (current.handler == on_signal) raw4(__NR_rt_sigaction, SIGNAL, &stop.displaced, 0, 8);
  stop.installed = 0;
}

int stop_by_signal(const struct stop_work *work) {
  int is_quiet = park(work->move), parked = (int)__atomic_load_n(&stop.arrived, __ATOMIC_ACQUIRE);
  if (is_quiet) work->run(work->argument);
  resume();
  return is_quiet ? parked : STOP_LATE;
}
