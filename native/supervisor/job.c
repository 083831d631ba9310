/*
 * A target that has its caller's own terminal (`strobe run`): caller, supervisor and target are one
 * job, in one process group, and each signal must reach the target once.
 *
 *   sent to the group     reaches the target by itself, the supervisor (which notes it), and the
 *                         caller, who asks for it to be passed on: it is not, as the target has it
 *                         already
 *   sent to the caller    reaches the caller alone, who asks: it is passed on
 *   the target stops      by whatever signal: the caller is stopped too, so that its shell notices
 *
 * The standby between caller and supervisor is of the job, too, and passes on what the caller asks.
 *
 * The caller asks with a real-time signal (WIRE_FORWARD_SIGNAL + number): those queue. Standard
 * signals that are pending together with them are delivered first.
 */
#define _GNU_SOURCE
#include "job.h"
#include "clock.h"
#include "program.h"
#include "standbyLine.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { SAME_NS = 1000000000 };

static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGTSTP, SIGCONT};
#define PASSED (sizeof passed / sizeof passed[0])

static struct {
  pid_t caller, asker;   /* asker: the caller, or the standby in between */
  pid_t supervisor;      /* in the standby */
  volatile pid_t target; /* 0 when it has ended */
  int terminal;          /* -1: there is none */
  struct termios modes;
  uint64_t seen_ns[NSIG];
} job = {.terminal = -1};

static void on_group(int number, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_pid != job.caller) job.seen_ns[number] = monotonic_ns();
}

static void on_asked(int asked, siginfo_t *info, void *context) {
  (void)context;
  int kept = errno, number = asked - (int)WIRE_FORWARD_SIGNAL;
  if (info->si_pid != job.asker || job.target == 0) return;
  uint64_t seen = job.seen_ns[number];
  job.seen_ns[number] = 0;
  bool has_it = seen > 0 && monotonic_ns() - seen < SAME_NS && getpgid(job.target) == getpgrp();
  if (!has_it) kill(job.target, number);
  errno = kept;
}

void job_prepare(void) {
  job.caller = getppid();
  for (int fd = 0; fd < 3 && job.terminal < 0; fd++)
    if (tcgetattr(fd, &job.modes) == 0) job.terminal = fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static void on_relayed(int asked, siginfo_t *info, void *context) {
  (void)context;
  int kept = errno;
  if (info->si_pid == job.caller) kill(job.supervisor, asked);
  errno = kept;
}

void job_relay(pid_t supervisor) {
  job.supervisor = supervisor;
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART, .sa_sigaction = on_relayed};
  for (size_t i = 0; job.caller && i < PASSED; i++)
    sigaction((int)WIRE_FORWARD_SIGNAL + passed[i], &action, NULL);
}

void job_begin(pid_t target) {
  job.target = target;
  job.asker = getppid();
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
  /* One at a time, and in the order of their numbers. */
  for (size_t i = 0; i < PASSED; i++) {
    sigaddset(&action.sa_mask, passed[i]);
    sigaddset(&action.sa_mask, (int)WIRE_FORWARD_SIGNAL + passed[i]);
  }
  for (size_t i = 0; i < PASSED; i++) {
    action.sa_sigaction = on_group;
    sigaction(passed[i], &action, NULL);
    action.sa_sigaction = on_asked;
    sigaction((int)WIRE_FORWARD_SIGNAL + passed[i], &action, NULL);
  }
}

/* Its number may be another's when it has ended. */
static bool caller_is_there(void) {
  struct kin kin;
  return getppid() == job.caller || (kin_of(getppid(), &kin) && kin.parent == job.caller);
}

void job_stopped(void) {
  /* A stop of a tracer's is none of the job's. */
  if (job.target && is_stopped(job.target) && caller_is_there()) kill(job.caller, SIGSTOP);
}

void job_let_go(void) {
  if (job.terminal >= 0) close(job.terminal);
  job.terminal = -1;
}

/* What died by a signal cannot put the terminal back as it was; whoever reads it next could not
 * type. */
void job_ended(int status) {
  job.target = 0;
  if (job.terminal < 0) return;
  if (WIFSIGNALED(status)) {
    tcsetattr(job.terminal, TCSANOW, &job.modes);
    pid_t front = tcgetpgrp(job.terminal);
    if (front > 0 && kill(-front, 0) < 0 && errno == ESRCH) tcsetpgrp(job.terminal, getpgrp());
  }
  job_let_go();
  standby_drop(KEPT_CALLER);
}
