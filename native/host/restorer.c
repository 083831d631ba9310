/*
 * Puts programs back whose holder was killed while it had them run code of its own: a process of
 * its own, forked before the holder does anything. When the pipe to the holder ends, the kernel is
 * about to let its programs go. One in the middle of a call comes to the end of that, where it
 * stays (spin.c); then it gets its registers and its code back, and goes on as if nothing had been.
 */
#define _GNU_SOURCE
#include "restorer.h"
#include "clock.h"
#include "held.h"
#include "quiet.h"
#include "realPtrace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
enum { SEIZE_MS = 5000, CALL_MS = 20000, UNSURE_MS = 200, LOOK_MS = 1 };

static int pipe_end = -1;
static pid_t process;

static bool get(pid_t tid, registers *at) {
  struct iovec part = {at, sizeof *at};
  return real_ptrace()(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &part) == 0;
}

static bool set(pid_t tid, registers *at) {
  struct iovec part = {at, sizeof *at};
  return real_ptrace()(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &part) == 0;
}

/* The kernel may still be letting it go. */
static bool seize(pid_t tid) {
  for (uint64_t late = clock_ns() + SEIZE_MS * MS; clock_ns() < late; clock_pause(MS)) {
    if (real_ptrace()(PTRACE_SEIZE, tid, NULL, NULL) == 0) return true;
    if (errno == ESRCH) return false;
  }
  return false;
}

/* Its stop, or false when it has ended. */
static bool stop(pid_t tid, int *status) {
  real_ptrace()(PTRACE_INTERRUPT, tid, NULL, NULL);
  while (wait4(tid, status, __WALL, NULL) < 0)
    if (errno != EINTR) return false;
  return WIFSTOPPED(*status);
}

/* Goes on, with the signal that it was about to get. */
static void go_on(pid_t tid, int status) {
  int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
  real_ptrace()(PTRACE_CONT, tid, NULL, (void *)(intptr_t)signal);
}

/* Waits until it stands at the end of its call. A call that may have been over, or not have begun,
 * is not waited for as long. */
static bool has_returned(const struct held *held, int *status) {
  uint64_t late = clock_ns() + (held->call == CALLED ? CALL_MS : UNSURE_MS) * MS;
  for (;;) {
    registers now;
    if (!get(held->tid, &now)) return false;
    if (counter(&now) == held->spin) return true;
    if (clock_ns() > late) return false;
    go_on(held->tid, *status);
    clock_pause(LOOK_MS * MS);
    if (!stop(held->tid, status)) return false;
  }
}

static void restore(struct held *held) {
  int status = 0;
  bool is_home = held->call == AT_HOME;
  if (is_home && held->word_count == 0 && !held->is_quiet) return;
  if (!seize(held->tid) || !stop(held->tid, &status)) return;
  if (!is_home && held->spin != 0 && has_returned(held, &status)) set(held->tid, &held->home);
  while (held->word_count > 0) {
    const struct word *word = &held->words[--held->word_count];
    real_ptrace()(PTRACE_POKETEXT, held->tid, (void *)(uintptr_t)word->at,
                  (void *)(uintptr_t)word->before);
  }
  quiet_end(held);
  int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
  real_ptrace()(PTRACE_DETACH, held->tid, NULL, (void *)(intptr_t)signal);
}

static _Noreturn void run(int end) {
  char byte;
  /* Standard output stays: at its end who started the holder knows that all is put back. */
  for (int fd = 0; fd < 1024; fd++)
    if (fd != end && fd != STDOUT_FILENO) close(fd);
  while (read(end, &byte, 1) < 0 && errno == EINTR) {
  }
  held_each(restore);
  _Exit(0);
}

/* Who ends hosts by their command line is not to end this one with them. */
static void take_name(int count, char **arguments) {
  static const char name[] = "strobe-restorer";
  if (count == 0) return;
  char *last = arguments[count - 1];
  size_t room = (size_t)(last + strlen(last) + 1 - arguments[0]);
  if (room < sizeof name) return;
  memset(arguments[0], 0, room);
  memcpy(arguments[0], name, sizeof name);
  prctl(PR_SET_NAME, name);
}

/* Python may be started by scripts, in which this library is as well. */
static bool is_python(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  const char *name = strrchr(path, '/');
  return name && strncmp(name, "/python", 7) == 0;
}

void restorer_begin(int count, char **arguments) {
  int ends[2];
  if (!is_python()) return;
  sigset_t every, before;
  if (!real_ptrace() || !held_prepare() || pipe2(ends, O_CLOEXEC) < 0) return;
  /* What is sent to a group of processes is not for this one. */
  sigfillset(&every);
  sigprocmask(SIG_SETMASK, &every, &before);
  process = fork();
  if (process == 0) {
    setsid();
    take_name(count, arguments);
    run(ends[0]);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(ends[0]);
  pipe_end = ends[1];
}

void restorer_end(void) {
  if (process <= 0) return;
  close(pipe_end);
  while (wait4(process, NULL, 0, NULL) < 0 && errno == EINTR) {
  }
}
