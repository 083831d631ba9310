/*
 * Starts the target and, when asked, leaves it stopped where no instruction of its own has run:
 *
 *   child                          supervisor
 *   fds, cwd, TRACEME, execve  →   exec stop (SIGTRAP)
 *                                  parked (parked.h), DETACH
 *   waits                      →   a host enters it, or the supervisor lets it go
 *
 * What fails before or in execve comes back over a close-on-exec pipe.
 */
#define _GNU_SOURCE
#include "launch.h"
#include "clock.h"
#include "execFilter.h"
#include "follow.h"
#include "inherited.h"
#include "park.h"
#include "spec.h"
#include "standbyLine.h"
#include "target.h"
#include "tty.h"
#include "wire.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 100000, SETTLE_LOOKS = 20000 };

/* What a terminal, a shutdown or a full disk sends must not end the parent of a running target. */
static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
                              SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGXFSZ};
#define IGNORED (sizeof ignored / sizeof ignored[0])

void signals_shield(struct inherited_signals *saved) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &saved->mask);
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  for (size_t i = 0; i < IGNORED; i++) sigaction(ignored[i], &ignore, &saved->actions[ignored[i]]);
  /* An inherited SIG_IGN for SIGCHLD would make the kernel throw exit statuses away. */
  struct sigaction normal = {.sa_handler = SIG_DFL};
  sigaction(SIGCHLD, &normal, &saved->actions[SIGCHLD]);
}

static void signals_restore(const struct inherited_signals *saved) {
  for (size_t i = 0; i < IGNORED; i++) sigaction(ignored[i], &saved->actions[ignored[i]], NULL);
  sigaction(SIGCHLD, &saved->actions[SIGCHLD], NULL);
  sigprocmask(SIG_SETMASK, &saved->mask, NULL);
}

static long fd_limit(void) {
  long limit = sysconf(_SC_OPEN_MAX);
  return limit < 0 || limit > 65536 ? 65536 : limit;
}

void let_go_of_caller(void) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; nothing >= 0 && fd < 3; fd++) dup2(nothing, fd);
  if (nothing > 2) close(nothing);
  words_to(2);
  if (chdir("/") < 0) return;
}

static void close_on_exec_above(int last) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)last + 1, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0) return;
#endif
  for (int fd = last + 1; fd < fd_limit(); fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* What may not be raised to what the caller had is as near to it as it may be. */
static void set_resources(const struct spec *spec) {
  if (spec->nice != (int32_t)WIRE_NO_NICE) setpriority(PRIO_PROCESS, 0, spec->nice);
  for (uint32_t i = 0; i < spec->limit_count; i++) {
    struct rlimit wanted = spec->limits[i], own;
    if (setrlimit((int)i, &wanted) == 0 || getrlimit((int)i, &own) < 0) continue;
    if (wanted.rlim_max > own.rlim_max) wanted.rlim_max = own.rlim_max;
    if (wanted.rlim_cur > wanted.rlim_max) wanted.rlim_cur = wanted.rlim_max;
    setrlimit((int)i, &wanted);
  }
}

struct failure {
  uint32_t stage;
  int error;
};

static _Noreturn void fail(int report, uint32_t stage) {
  struct failure failure = {stage, errno};
  ssize_t written = write(report, &failure, sizeof failure);
  (void)written;
  _exit(127);
}

static _Noreturn void become(const struct spec *spec, const struct inherited_signals *saved,
                             const int stdio[3], int report, int follow) {
  if (!(spec->flags & SPEC_FLAG_INHERIT)) {
    setsid();
    for (int fd = 0; fd < 3; fd++)
      if (dup2(stdio[fd], fd) < 0) fail(report, STAGE_STDIO);
    if (spec->flags & SPEC_FLAG_TERMINAL && tty_take(0) < 0) fail(report, STAGE_STDIO);
  }
  if (chdir(spec->cwd) < 0) fail(report, STAGE_CHDIR);
  if (spec->umask != UINT32_MAX) umask((mode_t)spec->umask);
  close_on_exec_above(2);
  inherited_pass_on();
  for (int fd = 0; fd < 3; fd++)
    if (spec->closed >> fd & 1) close(fd);
  signals_restore(saved);
  for (int number = 1; number < 32; number++)
    if (spec->ignored >> (number - 1) & 1) signal(number, SIG_IGN);
  /* Under Yama's ptrace_scope 1 a host, which is no ancestor of the target, could not attach. The
       permission outlives execve and is not inherited by children; without Yama it is an error. */
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  if (follow >= 0) filter_enter(follow);
  if (spec->flags & SPEC_FLAG_STOP_AT_EXEC && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
    fail(report, STAGE_TRACE);
  set_resources(spec);
  execve(spec->path, spec->argv, spec->envp);
  fail(report, STAGE_EXEC);
}

/* 0 at the exec stop, else the child is gone. */
static int await_exec_stop(pid_t pid) {
  for (;;) {
    int status;
    if (waitpid(pid, &status, 0) < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    if (!WIFSTOPPED(status)) return -1;
    if (WSTOPSIG(status) == SIGTRAP) return 0;
    ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)WSTOPSIG(status));
  }
}

/* What cannot be parked runs. */
static void leave_parked(struct target *target) {
  struct parking *place = &target->place;
  if (park_begin(target->pid, place) == 0) park_take(target->pid, place);
  ptrace(PTRACE_DETACH, target->pid, NULL, NULL);
  for (int i = 0; place->code && i < SETTLE_LOOKS; i++) {
    enum parked_state state = park_look(target->pid, place);
    if (state == PARKED_WAITS || state == PARKED_AWAY) return;
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
  }
}

static bool make_pipes(const struct spec *spec, int child[3], struct target *target) {
  int *own[3] = {&target->in, &target->out, &target->err};
  for (int fd = 0; fd < 3; fd++) {
    if (fd == 0 && spec->stdin_mode != STDIN_OPEN) {
      child[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (child[0] < 0) return false;
      continue;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return false;
    *own[fd] = ends[fd == 0];
    child[fd] = ends[fd != 0];
    /* A property of our end alone: the two ends are separate open files. */
    fcntl(*own[fd], F_SETFL, O_NONBLOCK);
  }
  return true;
}

/* What becomes fds 0-2 of the child; nothing when it keeps those of the supervisor. */
static bool make_streams(const struct spec *spec, int child[3], struct target *target) {
  if (spec->flags & SPEC_FLAG_INHERIT) return true;
  if (!(spec->flags & SPEC_FLAG_TERMINAL)) return make_pipes(spec, child, target);
  errno = tty_open(spec, target);
  for (int fd = 0; fd < 3 && errno == 0; fd++) {
    child[fd] = fcntl(target->terminal, F_DUPFD_CLOEXEC, 3);
    if (child[fd] < 0) return false;
  }
  return errno == 0;
}

void launch(const struct spec *spec, const struct inherited_signals *saved, struct target *target) {
  int child[3] = {-1, -1, -1}, report[2], follow[2] = {-1, -1};
  *target = (struct target){
      .stage = STAGE_STDIO, .in = -1, .out = -1, .err = -1, .terminal = -1, .listener = -1};
  if (!make_streams(spec, child, target) || pipe2(report, O_CLOEXEC) < 0) {
    target->error = errno;
    return;
  }
  standby_give(KEPT_IN, target->in);
  standby_give(KEPT_OUT, target->out);
  standby_give(KEPT_ERR, target->err);
  standby_give(KEPT_TERMINAL, target->terminal);
  if (spec->flags & SPEC_FLAG_FOLLOW &&
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, follow) < 0) {
    target->error = errno;
    return;
  }
  pid_t pid = fork();
  if (pid == 0) become(spec, saved, child, report[1], follow[1]);
  target->error = errno;
  close(report[1]);
  for (int fd = 0; fd < 3; fd++)
    if (child[fd] >= 0) close(child[fd]);
  target->stage = STAGE_FORK;
  if (pid < 0) return;
  target->pid = pid;
  if (follow[0] >= 0) {
    close(follow[1]);
    follow_begin(follow[0], target);
    close(follow[0]);
  }

  bool stop = spec->flags & SPEC_FLAG_STOP_AT_EXEC;
  bool gone = stop && await_exec_stop(pid) < 0;
  struct failure failure = {STAGE_EXEC, EINTR};
  ssize_t told = 0;
  if (gone || !stop) {
    do told = read(report[0], &failure, sizeof failure);
    while (told < 0 && errno == EINTR);
  }
  close(report[0]);
  if (gone || told == (ssize_t)sizeof failure) {
    if (!gone) waitpid(pid, NULL, 0);
    target->stage = failure.stage;
    target->error = failure.error;
    return;
  }
  target->started_ns = monotonic_ns();
  if (stop) leave_parked(target);
  target->stage = STAGE_NONE;
  target->error = 0;
}
