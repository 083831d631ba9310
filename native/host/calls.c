/* Loaded ahead of libc into a host of Frida (LD_PRELOAD, src/collector/frida/hostProcess.ts).
 *
 * To enter a program Frida runs calls on one of its threads, the last of which starts Frida's
 * loader on a thread of its own. It waits 5 s for the end of a call and 5 s for the loader's word.
 * A program that gets little of the processor needs longer, and dies of what Frida does then: it
 * leaves the thread in the middle of the call, or frees the code that the loader is just running.
 * So here a call is waited for four times as long, and its code is never freed.
 *
 * A host may be killed in the middle of all that. What it changed is noted where the restorer finds
 * it, and calls and breakpoints end in jumps to themselves instead of traps, which nobody would
 * catch then: whether the thread has come there is found out by stopping it for a moment. */
#define _GNU_SOURCE
#include "clock.h"
#include "entry.h"
#include "held.h"
#include "parked.h"
#include "quiet.h"
#include "realPtrace.h"
#include "reaper.h"
#include "registers.h"
#include "restorer.h"
#include "spin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define CALL_LIMIT_NS UINT64_C(20000000000)
#define SHORT_NS UINT64_C(10000)
#define LOOK_NS UINT64_C(50000)
#define MOST_LOOK_NS UINT64_C(1000000)
#define STOP_LIMIT_NS UINT64_C(20000000)
#define PAGE 4096
#define MAX_CODES 256
/* Where Frida has its calls return to: nothing is there. */
#define NOWHERE UINT64_C(0x320)

typedef pid_t wait_call(pid_t, int *, int);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Where the code begins that was run in programs: each such mapping is Frida's own. */
static uint64_t codes[MAX_CODES];
static int code_count;

__attribute__((constructor)) static void begin(int count, char **arguments) {
  restorer_begin(count, arguments);
}

/* The general registers that a request reads or writes; NULL when it is about others. */
static registers *of_request(int request, void *address, void *data) {
#ifdef PT_GETREGS
  if (request == PT_GETREGS || request == PT_SETREGS) return data;
#endif
  if ((request != PTRACE_GETREGSET && request != PTRACE_SETREGSET) ||
      address != (void *)NT_PRSTATUS)
    return NULL;
  return ((const struct iovec *)data)->iov_base;
}

static int is_set(int request) {
#ifdef PT_SETREGS
  if (request == PT_SETREGS) return 1;
#endif
  return request == PTRACE_SETREGSET;
}

static bool read_registers(pid_t tid, registers *at) {
  struct iovec part = {at, sizeof *at};
  return real_ptrace()(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &part) == 0;
}

static int is_code(uint64_t address) {
  for (int i = 0; i < code_count; i++)
    if (codes[i] == address) return 1;
  return 0;
}

/* Frida's own code starts at the beginning of a mapping; of all that it calls only munmap gets such
 * a place. */
static bool would_free_code(const registers *wanted) {
  pthread_mutex_lock(&lock);
  bool would = counter(wanted) % PAGE != 0 && is_code(first_argument(wanted));
  pthread_mutex_unlock(&lock);
  return would;
}

static void note_code(uint64_t at) {
  pthread_mutex_lock(&lock);
  if (at % PAGE == 0 && !is_code(at) && code_count < MAX_CODES) codes[code_count++] = at;
  pthread_mutex_unlock(&lock);
}

static bool write_registers(pid_t tid, registers *to) {
  struct iovec part = {to, sizeof *to};
  return real_ptrace()(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &part) == 0;
}

/* Whether a thread is to be as the program has it. What is parked has not begun: it has the
 * registers of its loop, and those that it begins with mean the same. */
static bool are_home(const struct held *held, const registers *wanted, const registers *home) {
  registers begins;
  return counter(wanted) == counter(home) ||
         (parked_waits(held->tid, &begins) && counter(wanted) == counter(&begins));
}

/* Other registers than the thread's own begin a call, its own end it. */
static long set_registers(struct held *held, int request, pid_t tid, void *address, void *data) {
  const registers *wanted = of_request(request, address, data);
  bool is_parked = parked_waits(tid, NULL);
  registers now;
  long result;
  if (held->call == CALLED && are_home(held, wanted, &held->home)) {
    held->call = RETURNING;
    result = is_parked ? (write_registers(tid, &held->home) ? 0 : -1)
                       : real_ptrace()(request, tid, address, data);
    held->call = result == 0 ? AT_HOME : CALLED;
    held->was_called = true;
    if (result == 0) {
      quiet_end(held);
      held->late = 0;
    }
  } else if (held->call == AT_HOME && read_registers(tid, &now) && !are_home(held, wanted, &now)) {
    held->home = now;
    if (is_parked) entry_correct(held);
    quiet_begin(held);
    held->call = LEAVING;
    result = real_ptrace()(request, tid, address, data);
    held->call = result == 0 ? CALLED : AT_HOME;
    if (result == 0) held->late = clock_ns() + CALL_LIMIT_NS;
    else quiet_end(held);
  } else if (held->call == AT_HOME && is_parked) {
    return 0;
  } else result = real_ptrace()(request, tid, address, data);
  if (result == 0) note_code(counter(wanted));
  return result;
}

/* A breakpoint becomes a jump to itself, which is longer: with it goes all of the word that it
 * stands in. */
static long change_code(struct held *held, int request, pid_t tid, void *address, void *data) {
  uint64_t at = (uint64_t)(uintptr_t)address, wanted = (uint64_t)(uintptr_t)data, before;
  bool ends_trap = held->trap != 0 && held->trap == at;
  errno = 0;
  uint64_t current = (uint64_t)real_ptrace()(PTRACE_PEEKTEXT, tid, address, NULL);
  if (errno != 0) return -1;
  held_note(held, at, current);
  if (ends_trap && held_before(held, at, &before)) wanted = before;
  else if (held->was_called && spin_is_breakpoint(current, wanted)) {
    wanted = spin_in(current);
    held->trap = at;
  }
  long result = real_ptrace()(request, tid, address, (void *)(uintptr_t)wanted);
  if (result == 0 && held_before(held, at, &before) && before == wanted) held_forget(held, at);
  if (result == 0 && ends_trap) held->trap = held->late = 0;
  return result;
}

static void seized(pid_t tid) {
  held_begin(tid);
  reaper_watch(tid);
}

/* One that Frida takes for stopped must not run meanwhile: it would be started a second time. */
static long seize(pid_t tid, void *address, void *data) {
  bool was_parked = parked_was(tid);
  long result = real_ptrace()(PTRACE_SEIZE, tid, address, data);
  /* Another process traces it, or it is not ours to trace. Where permission lacks Frida would write
   * over the code of malloc, and the program that calls it hangs there when Frida does not come
   * back. */
  if (result == -1 && errno == EPERM && !held_find(tid)) errno = EBUSY;
  if (result == 0 && was_parked && !parked_seized(tid)) {
    errno = ESRCH;
    return -1;
  }
  if (result == 0) seized(tid);
  return result;
}

static void let_go(pid_t tid) {
  held_end(tid);
  reaper_leave(tid);
}

PUBLIC long frida_ptrace(enum __ptrace_request request, ...) __asm__("ptrace");

long frida_ptrace(enum __ptrace_request request, ...) {
  va_list rest;
  va_start(rest, request);
  pid_t tid = va_arg(rest, pid_t);
  void *address = va_arg(rest, void *);
  void *data = va_arg(rest, void *);
  va_end(rest);

  struct held *held = held_find(tid);
  registers *subject = of_request((int)request, address, data);
  if (subject && is_set((int)request) && would_free_code(subject)) {
    errno = EPERM;
    return -1;
  }
  if (held && subject && is_set((int)request))
    return set_registers(held, (int)request, tid, address, data);
  if (held && (request == PTRACE_POKETEXT || request == PTRACE_POKEDATA))
    return change_code(held, (int)request, tid, address, data);
  if (held && held->trap && request == PTRACE_CONT) held->late = clock_ns() + CALL_LIMIT_NS;

  if (request == PTRACE_SEIZE) return seize(tid, address, data);
  if (request == PTRACE_DETACH) {
    if (held) entry_restore(held);
    if (held) quiet_end(held);
    parked_leaves(tid);
  }
  if (request == PTRACE_CONT && (!held || held->call == AT_HOME)) parked_starts(tid);
  long result = real_ptrace()(request, tid, address, data);
  if (result != -1 && subject && !is_set((int)request) && (!held || held->call == AT_HOME))
    parked_waits(tid, subject);
  int error = errno;
  if (result == 0 && request == PTRACE_DETACH) let_go(tid);
  else if (result == 0 && subject && held && held->call == CALLED && held->spin != 0 &&
           counter(subject) == held->spin)
    set_counter(subject, NOWHERE);
  errno = error;
  return result;
}

/* The address that a call is to return to is written like everything else on its stack. */
static const void *return_address(const struct iovec *from, unsigned long count, pid_t pid) {
  uint64_t word;
  if (count != 1 || from->iov_len != sizeof word) return NULL;
  memcpy(&word, from->iov_base, sizeof word);
  struct held *held = word == NOWHERE ? held_find(pid) : NULL;
  if (!held) return NULL;
  if (held->spin == 0) held->spin = spin_find(pid, held);
  return held->spin == 0 ? NULL : &held->spin;
}

PUBLIC long syscall(long number, ...) {
  static long (*next)(long, ...);
  if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long),
       d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  const void *word = number == SYS_process_vm_writev
                         ? return_address((const struct iovec *)b, (unsigned long)c, (pid_t)a)
                         : NULL;
  if (!word) return next(number, a, b, c, d, e, f);
  struct iovec own = {(void *)(uintptr_t)word, sizeof(uint64_t)};
  return next(number, a, &own, c, d, e, f);
}

static bool is_interruption(int status) {
  return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
}

/* What a thread waits for in the kernel it can be left to. */
static bool is_on_processor(pid_t tid) {
  char path[64], text[16] = "";
  snprintf(path, sizeof path, "/proc/%d/syscall", tid);
  FILE *file = fopen(path, "re");
  if (!file) return true;
  bool told = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  return !told || strncmp(text, "running", 7) == 0;
}

/* Stops the thread for a moment where it may have come to one of our jumps. */
static pid_t look(struct held *held, wait_call *next, int *status, int options) {
  if ((held->call != CALLED || held->spin == 0) && held->trap == 0) return 0;
  if (!held->is_asked && !is_on_processor(held->tid)) return 0;
  if (!held->is_asked && real_ptrace()(PTRACE_INTERRUPT, held->tid, NULL, NULL) == 0)
    held->is_asked = true;
  pid_t found = 0;
  uint64_t late = clock_ns() + STOP_LIMIT_NS;
  while (found == 0 && clock_ns() < late) {
    clock_pause(SHORT_NS);
    found = next(held->tid, status, options);
  }
  return found;
}

/* Whether the stop is one of ours where nothing had come to its end; the thread goes on from it.
 * One that Frida has given up it gets, as it stops the thread to let it go. */
static bool is_passing(struct held *held, int *status) {
  registers now;
  if (!held->is_asked || !is_interruption(*status)) return false;
  held->is_asked = false;
  bool is_read = read_registers(held->tid, &now);
  if (is_read && held->call == CALLED && held->spin != 0 && counter(&now) == held->spin)
    *status = SIGSEGV << 8 | 0x7f; /* as if it had come to NOWHERE */
  else if (is_read && held->trap != 0 && counter(&now) == held->trap) *status = SIGTRAP << 8 | 0x7f;
  else return clock_ns() < held->late && real_ptrace()(PTRACE_CONT, held->tid, NULL, NULL) == 0;
  return false;
}

/* Frida asks without waiting and gives up after 5 s of asking: here it is the answer that takes its
 * time. What has ended meanwhile was waited for by the reaper. */
PUBLIC pid_t waitpid(pid_t tid, int *told, int options) {
  static wait_call *next;
  int status = 0;
  if (!next) next = (wait_call *)dlsym(RTLD_NEXT, "waitpid");
  struct held *held = tid > 0 && options & WNOHANG ? held_find(tid) : NULL;
  pid_t found = next(tid, &status, options);
  for (uint64_t pause = LOOK_NS; held; pause = pause < MOST_LOOK_NS ? pause * 2 : MOST_LOOK_NS) {
    if (found == tid && is_passing(held, &status)) found = 0;
    if (found != 0 || clock_ns() >= held->late) break;
    clock_pause(pause);
    found = next(tid, &status, options);
    if (found == 0) found = look(held, next, &status, options);
  }
  int end = held && found < 0 && errno == ECHILD ? reaper_status(tid) : 0;
  if (end != 0) {
    status = end;
    found = tid;
  }
  if (found > 0 && told) *told = status;
  return found;
}

/* How a host ends in order. */
PUBLIC _Noreturn void _exit(int status) {
  restorer_end();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

/* Frida asks /proc/TID/stat whether what it enters is stopped. */
static int stopped_stat(const char *path) {
  char text[1024], end;
  int tid, length = 0;
  if (sscanf(path, "/proc/%d/stat%n%c", &tid, &length, &end) != 1 || length == 0 || !parked_is(tid))
    return -1;
  int stat = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = stat < 0 ? -1 : read(stat, text, sizeof text);
  if (stat >= 0) close(stat);
  char *name_end = got > 0 ? memrchr(text, ')', (size_t)got) : NULL;
  if (!name_end || name_end + 2 >= text + got) return -1;
  name_end[2] = 'T';
  int file = memfd_create("stat", MFD_CLOEXEC);
  if (file >= 0 && pwrite(file, text, (size_t)got, 0) == got) return file;
  if (file >= 0) close(file);
  return -1;
}

PUBLIC int open64(const char *path, int flags, ...) {
  static int (*next)(const char *, int, ...);
  if (!next) next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  int file = stopped_stat(path);
  return file >= 0 ? file : next(path, flags, mode);
}

PUBLIC int kill(pid_t pid, int number) {
  static int (*next)(pid_t, int);
  if (!next) next = (int (*)(pid_t, int))dlsym(RTLD_NEXT, "kill");
  return number == SIGCONT && parked_needs_no_signal(pid) ? 0 : next(pid, number);
}
