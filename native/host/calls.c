/* Loaded ahead of libc into a host of Frida (LD_PRELOAD, src/collector/frida/hostProcess.ts).
 *
 * To enter a program Frida runs calls on one of its threads, the last of which starts Frida's
 * loader on a thread of its own. It waits 5 s for the end of a call and 5 s for the loader's word.
 * A program that gets little of the processor needs longer, and dies of what Frida does then: it
 * leaves the thread in the middle of the call, or frees the code that the loader is just running.
 * So here a call is waited for four times as long, and its code is never freed. */
#define _GNU_SOURCE
#include "reaper.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#define PUBLIC __attribute__((visibility("default")))
#define CALL_LIMIT_NS 20000000000
#define LOOK_NS 50000
#define PAGE 4096
#define MAX_THREADS 64
#define MAX_CODES 256

/* A thread that Frida has stopped, from the reading of its registers until it is let go. */
struct thread {
  pid_t tid;
  uint64_t home; /* where it was stopped */
  uint64_t late; /* CLOCK_MONOTONIC, ns, after which its call is waited for no longer; 0: it is in
                    none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread threads[MAX_THREADS];
/* Where the code begins that was run in programs: each such mapping is Frida's own. */
static uint64_t codes[MAX_CODES];
static int code_count;

#if defined(__x86_64__)
typedef struct user_regs_struct registers;
static uint64_t counter(const registers *at) { return at->rip; }
static uint64_t first_argument(const registers *at) { return at->rdi; }
#endif

static uint64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static struct thread *find(pid_t tid) {
  for (int i = 0; i < MAX_THREADS; i++)
    if (threads[i].tid == tid) return &threads[i];
  return NULL;
}

/* The general registers that a request reads or writes; NULL when it is about others. */
static const registers *of_request(int request, void *address, void *data) {
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

static int is_code(uint64_t address) {
  for (int i = 0; i < code_count; i++)
    if (codes[i] == address) return 1;
  return 0;
}

/* Frida's own code starts at the beginning of a mapping; of all that it calls only munmap gets such
 * a place. */
static int would_free_code(const registers *wanted) {
  return counter(wanted) % PAGE != 0 && is_code(first_argument(wanted));
}

static void forget(pid_t tid) {
  struct thread *at = find(tid);
  if (at) at->tid = 0;
}

static void note_read(pid_t tid, const registers *found) {
  static unsigned next;
  if (find(tid)) return;
  struct thread *at = find(0);
  /* Full of threads that ended while they were held. */
  if (!at) at = &threads[next++ % MAX_THREADS];
  *at = (struct thread){.tid = tid, .home = counter(found)};
}

static void note_set(pid_t tid, const registers *set) {
  uint64_t to = counter(set);
  if (to % PAGE == 0 && !is_code(to) && code_count < MAX_CODES) codes[code_count++] = to;
  struct thread *at = find(tid);
  if (at) at->late = to == at->home ? 0 : now() + CALL_LIMIT_NS;
}

PUBLIC long ptrace(enum __ptrace_request request, ...) {
  static long (*next)(enum __ptrace_request, pid_t, void *, void *);
  if (!next)
    next = (long (*)(enum __ptrace_request, pid_t, void *, void *))dlsym(RTLD_NEXT, "ptrace");
  va_list rest;
  va_start(rest, request);
  pid_t tid = va_arg(rest, pid_t);
  void *address = va_arg(rest, void *);
  void *data = va_arg(rest, void *);
  va_end(rest);

  const registers *subject = of_request(request, address, data);
  pthread_mutex_lock(&lock);
  int refused = subject && is_set(request) && would_free_code(subject);
  pthread_mutex_unlock(&lock);
  if (refused) {
    errno = EPERM;
    return -1;
  }

  long result = next(request, tid, address, data);
  int error = errno;
  pthread_mutex_lock(&lock);
  if (result != -1 && (request == PTRACE_SEIZE || request == PTRACE_DETACH)) forget(tid);
  else if (result != -1 && subject && is_set(request)) note_set(tid, subject);
  else if (result != -1 && subject) note_read(tid, subject);
  pthread_mutex_unlock(&lock);
  if (result != -1 && request == PTRACE_SEIZE) reaper_watch(tid);
  if (result != -1 && request == PTRACE_DETACH) reaper_leave(tid);
  errno = error;
  return result;
}

static uint64_t late_of(pid_t tid) {
  pthread_mutex_lock(&lock);
  struct thread *at = find(tid);
  uint64_t late = at ? at->late : 0;
  pthread_mutex_unlock(&lock);
  return late;
}

/* Frida asks without waiting and gives up after 5 s of asking: here it is the answer that takes its
 * time. What has ended meanwhile was waited for by the reaper. */
PUBLIC pid_t waitpid(pid_t tid, int *status, int options) {
  static pid_t (*next)(pid_t, int *, int);
  if (!next) next = (pid_t (*)(pid_t, int *, int))dlsym(RTLD_NEXT, "waitpid");
  pid_t found = next(tid, status, options);
  if (tid <= 0 || !(options & WNOHANG)) return found;
  uint64_t late = late_of(tid);
  while (found == 0 && now() < late) {
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    found = next(tid, status, options);
  }
  int end = found < 0 && errno == ECHILD ? reaper_status(tid) : 0;
  if (end == 0) return found;
  if (status) *status = end;
  return tid;
}
