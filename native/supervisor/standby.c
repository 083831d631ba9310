/*
 * The standby: parent of the supervisor, which goes on in its place. What a tree cannot live
 * without must not end with a supervisor that is killed: who writes to a pipe without reader dies,
 * who reads one without writer is told an end, and when the last holder of an exec listener goes,
 * every exec of the tree fails for ever (ENOSYS).
 *
 *   standby ── fork ─▶ supervisor ── fork ─▶ target and all it starts
 *     ◀── line: the target's descriptors as they come, which of them were closed,
 *         that it is launched
 *     ═══ memory the two share: all that the supervisor knows
 *
 * Both are subreapers. When the supervisor is killed the tree is the standby's, which goes on as
 * supervisor, with true statuses; when the supervisor ends, the standby ends as it did.
 */
#define _GNU_SOURCE
#include "standby.h"
#include "inherited.h"
#include "job.h"
#include "launch.h"
#include "passing.h"
#include "processName.h"
#include "standbyLine.h"
#include "target.h"
#include "tree.h"
#include "words.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void take_messages(int from, int answer, int held[KEPT], bool *launched) {
  struct message message;
  int fd;
  while (pass_receive(from, &message, sizeof message, &fd, MSG_DONTWAIT)) {
    if (message.kind == LAUNCHED) {
      *launched = true;
      close(answer); /* its end is what the starter waits for */
      continue;
    }
    if (message.which == KEPT_CALLER) job_let_go();
    if (message.which >= KEPT) continue;
    if (held[message.which] >= 0) close(held[message.which]);
    held[message.which] = fd;
  }
}

/* Returns when the supervisor was killed after the launch. */
static void await_killed(pid_t supervisor, int from, int answer, int held[KEPT]) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int ends = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  bool launched = false;
  for (;;) {
    struct pollfd slots[] = {{from, POLLIN, 0}, {ends, POLLIN, 0}};
    int status;
    pid_t ended = waitpid(supervisor, &status, WNOHANG);
    take_messages(from, answer, held, &launched);
    if (ended == supervisor && WIFEXITED(status)) _exit(WEXITSTATUS(status));
    if (ended == supervisor) {
      say("Supervisor %d was ended by signal %d.\n", (int)supervisor, WTERMSIG(status));
      close(ends);
      if (launched) return;
      tree_signal(0, SIGKILL); /* nobody was told of a target */
      _exit(1);
    }
    if (slots[0].fd >= 0 && poll(slots, 2, -1) < 0) continue;
    struct signalfd_siginfo info;
    while (read(ends, &info, sizeof info) > 0) {
    }
    if (slots[0].revents & ~POLLIN && !(slots[0].revents & POLLIN)) poll(slots + 1, 1, -1);
  }
}

enum standby_role standby_split(int answer, struct target *inherited) {
  int ends[2], held[KEPT];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return STANDBY_NONE;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  pid_t supervisor = fork();
  int error = errno;
  if (supervisor <= 0) {
    close(ends[0]);
    if (supervisor == 0) {
      standby_listens(ends[1]);
      return STANDBY_SUPERVISOR;
    }
    close(ends[1]);
    errno = error;
    return STANDBY_NONE;
  }
  close(ends[1]);
  memset(held, -1, sizeof held);
  inherited_close();
  let_go_of_caller();
  name_process("strobe-standby");
  job_relay(supervisor);
  await_killed(supervisor, ends[0], answer, held);
  close(ends[0]);
  name_process("strobe-supervisor");
  *inherited = (struct target){.in = held[KEPT_IN],
                               .out = held[KEPT_OUT],
                               .err = held[KEPT_ERR],
                               .terminal = held[KEPT_TERMINAL],
                               .listener = held[KEPT_LISTENER]};
  return STANDBY_TAKES_OVER;
}
