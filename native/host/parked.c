/* See parked.h. */
#define _GNU_SOURCE
#include "parked.h"
#include "../supervisor/parked.h"
#include "realPtrace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PARKED = 64, LOOK_NS = 50000, MOST_LOOKS = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entered {
  pid_t tid;
  enum { FOUND, SEIZED, STARTED } at;
  struct parked_block block;
} all[MAX_PARKED];

static struct entered *find(pid_t tid) {
  for (int i = 0; i < MAX_PARKED; i++)
    if (all[i].tid == tid) return &all[i];
  return NULL;
}

static bool copy(pid_t tid, uint64_t at, void *own, size_t count, bool to_process) {
  struct iovec here = {own, count}, there = {(void *)(uintptr_t)at, count};
  ssize_t done = to_process ? process_vm_writev(tid, &here, 1, &there, 1, 0)
                            : process_vm_readv(tid, &here, 1, &there, 1, 0);
  return done == (ssize_t)count;
}

static long trace(int request, pid_t tid, uint64_t address, const void *data) {
  return real_ptrace()(request, tid, (void *)(uintptr_t)address, (void *)(uintptr_t)data);
}

/* proc_pid_syscall(5): of a thread that waits in a call the last two fields are its stack pointer
 * and where it will go on. */
static bool reads_waiting(pid_t tid, uint64_t *stack, uint64_t *at) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/%d/syscall", tid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  text[got > 0 ? got : 0] = 0;
  char *last = strrchr(text, ' ');
  if (!last) return false;
  *at = strtoull(last, NULL, 16);
  *last = 0;
  last = strrchr(text, ' ');
  if (last) *stack = strtoull(last, NULL, 16);
  return last != NULL;
}

static uint64_t block_below(uint64_t stack) { return (stack - PARKED_BELOW) & ~UINT64_C(63); }

static bool waits(pid_t tid, struct parked_block *block) {
  uint64_t stack, at;
  return reads_waiting(tid, &stack, &at) &&
         copy(tid, block_below(stack), block, sizeof *block, false) &&
         block->magic == PARKED_MAGIC && at == block->code + PARKED_WAITS_AT;
}

bool parked_is(pid_t tid) {
  static unsigned next;
  struct parked_block block;
  bool is_parked = waits(tid, &block);
  pthread_mutex_lock(&lock);
  struct entered *entered = find(tid);
  if (!is_parked) {
    if (entered && entered->at == FOUND) entered->tid = 0;
  } else {
    if (!entered) entered = find(0);
    if (!entered) entered = &all[next++ % MAX_PARKED]; /* one that ended while it was held */
    *entered = (struct entered){tid, FOUND, block};
  }
  pthread_mutex_unlock(&lock);
  return is_parked;
}

bool parked_was(pid_t tid) {
  pthread_mutex_lock(&lock);
  struct entered *entered = find(tid);
  bool was = entered && entered->at == FOUND;
  if (entered && !was) entered->tid = 0; /* of a seizure that ended without a word */
  pthread_mutex_unlock(&lock);
  return was;
}

/* Undoes a seizure. */
static void release(pid_t tid) {
  trace(PTRACE_INTERRUPT, tid, 0, NULL);
  for (int i = 0; i < MOST_LOOKS; i++) {
    int status = 0;
    pid_t found = wait4(tid, &status, WNOHANG | __WALL, NULL);
    if (found < 0 || (found == tid && !WIFSTOPPED(status))) return;
    if (found == tid) {
      int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
      trace(PTRACE_DETACH, tid, 0, (void *)(intptr_t)signal);
      return;
    }
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
  }
}

/* Only who has seized it can move it, so it is looked at once more. */
bool parked_seized(pid_t tid) {
  if (!parked_is(tid)) {
    release(tid);
    return false;
  }
  trace(PTRACE_INTERRUPT, tid, 0, NULL);
  pthread_mutex_lock(&lock);
  struct entered *entered = find(tid);
  if (entered) entered->at = SEIZED;
  pthread_mutex_unlock(&lock);
  return true;
}

static bool set_registers(pid_t tid, struct user_regs_struct registers) {
  registers.orig_rax = UINT64_MAX; /* no system call is to be restarted */
  return trace(PTRACE_SETREGS, tid, 0, &registers) == 0;
}

bool parked_waits(pid_t tid, registers *begins) {
  pthread_mutex_lock(&lock);
  struct entered *entered = find(tid);
  bool waits = entered && entered->at == SEIZED;
  if (waits && begins) {
    *begins = entered->block.registers;
    begins->orig_rax = UINT64_MAX;
  }
  pthread_mutex_unlock(&lock);
  return waits;
}

void parked_starts(pid_t tid) {
  pthread_mutex_lock(&lock);
  struct entered *entered = find(tid);
  if (entered && entered->at == SEIZED && set_registers(tid, entered->block.registers))
    entered->at = STARTED;
  pthread_mutex_unlock(&lock);
}

bool parked_needs_no_signal(pid_t pid) {
  pthread_mutex_lock(&lock);
  struct entered *entered = find(pid);
  bool needs_none = entered && entered->at != FOUND;
  pthread_mutex_unlock(&lock);
  return needs_none;
}

/* Passes on what signals come. False: it is gone. */
static bool look_for_stop(pid_t tid, bool *is_own) {
  int status = 0;
  pid_t found = wait4(tid, &status, WNOHANG | __WALL, NULL);
  *is_own = found == tid && WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP;
  if (found < 0 || (found == tid && !WIFSTOPPED(status))) return false;
  if (found == tid && !*is_own)
    trace(PTRACE_CONT, tid, 0, (void *)(intptr_t)(status >> 16 ? 0 : WSTOPSIG(status)));
  return true;
}

/* Runs until it waits again, and is stopped there. */
static bool run_calls(pid_t tid, uint64_t code) {
  bool is_stopped = false, is_asked = false;
  trace(PTRACE_CONT, tid, 0, NULL);
  for (int i = 0; i < MOST_LOOKS && !is_stopped; i++) {
    uint64_t stack, at = 0;
    if (!is_asked && reads_waiting(tid, &stack, &at) && at == code + PARKED_WAITS_AT)
      is_asked = trace(PTRACE_INTERRUPT, tid, 0, NULL) == 0;
    if (!look_for_stop(tid, &is_stopped)) return false;
    if (!is_stopped) nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
  }
  return is_stopped;
}

static void add_call(struct parked_block *block, unsigned *count, long number, uint64_t first,
                     uint64_t second) {
  block->calls[(*count)++] = (struct parked_call){(uint64_t)number, {first, second}};
  block->calls[*count].number = UINT64_MAX;
}

static unsigned list_calls(struct parked_block *block, uint64_t at) {
  unsigned count = 0;
  for (uint64_t i = 0; i < block->taken && i < PARKED_NUMBERS; i++)
    add_call(block, &count, SYS_close, block->numbers[i], 0);
  if (timerisset(&block->timer.it_value))
    add_call(block, &count, SYS_setitimer, ITIMER_REAL, at + offsetof(struct parked_block, timer));
  return count;
}

static void give_back(pid_t tid, struct parked_block *block) {
  struct user_regs_struct registers, runs;
  if (trace(PTRACE_GETREGS, tid, 0, &registers) < 0) return;
  uint64_t at = block_below(registers.rsp);
  if (list_calls(block, at) > 0 && copy(tid, at, block, sizeof *block, true)) {
    runs = registers;
    runs.rip = block->code;
    runs.r12 = at + offsetof(struct parked_block, calls);
    if (!set_registers(tid, runs) || !run_calls(tid, block->code)) return;
    set_registers(tid, registers);
    struct parked_block nothing = {0};
    copy(tid, at, &nothing, sizeof nothing, true);
  }
  for (uint64_t word = 0; word < PARKED_CODE_BYTES; word += 8)
    trace(PTRACE_POKETEXT, tid, block->code + word, NULL);
}

void parked_leaves(pid_t tid) {
  struct parked_block block;
  pthread_mutex_lock(&lock);
  struct entered *entered = find(tid);
  bool started = entered && entered->at == STARTED;
  if (entered) {
    block = entered->block;
    entered->tid = 0;
  }
  pthread_mutex_unlock(&lock);
  if (started) give_back(tid, &block);
}
