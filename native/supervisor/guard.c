/*
 * The guard: parent of the supervisor, and its heir. What a tree cannot live without must not end
 * with a supervisor that is killed: who writes to a pipe without reader dies, who reads one without
 * writer is told an end, and when the last holder of an exec listener goes, every exec of the tree
 * fails for ever (ENOSYS).
 *
 *   guard ── fork ─▶ supervisor ── fork ─▶ target and all it starts
 *     ◀── line: the target's descriptors as they come, which of them were closed,
 *         that it is launched
 *     ═══ memory the two share: all that the supervisor knows
 *
 * Both are subreapers. When the supervisor is killed the tree is the guard's, which goes on as
 * supervisor, with true statuses; when the supervisor ends, the guard ends as it did.
 */
#define _GNU_SOURCE
#include "passing.h"
#include "supervise.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GIVEN, DROPPED, LAUNCHED };
struct message {
  uint8_t kind, which;
};

static int line = -1; /* to the guard; in the supervisor alone */

void guard_let_go(int listener, struct seccomp_notif *notice) {
  struct seccomp_notif_resp answer = {.id = notice->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND,
        &answer); /* fails when the caller was killed meanwhile */
  notice->id = 0;
}

/* A guard that was killed is not there to hear it. */
static void tell(uint8_t kind, uint8_t which, int fd) {
  if (line < 0) return;
  struct message message = {kind, which};
  pass_send(line, &message, sizeof message, fd);
}

void guard_give(enum guarded which, int fd) {
  if (fd >= 0) tell(GIVEN, (uint8_t)which, fd);
}

void guard_drop(enum guarded which) { tell(DROPPED, (uint8_t)which, -1); }
void guard_launched(void) { tell(LAUNCHED, 0, -1); }

/* In the guard ------------------------------------------------------------------------------ */

static void take_messages(int from, int answer, int held[GUARDED], bool *launched) {
  struct message message;
  int fd;
  while (pass_receive(from, &message, sizeof message, &fd, MSG_DONTWAIT)) {
    if (message.kind == LAUNCHED) {
      *launched = true;
      close(answer); /* its end is what the starter waits for */
      continue;
    }
    if (message.which == GUARDED_CALLER) job_let_go();
    if (message.which >= GUARDED) continue;
    if (held[message.which] >= 0) close(held[message.which]);
    held[message.which] = fd;
  }
}

/* Returns when the supervisor was killed after the launch. */
static void await_killed(pid_t supervisor, int from, int answer, int held[GUARDED]) {
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

enum guard_role guard_split(int answer, struct target *inherited) {
  int ends[2], held[GUARDED];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return GUARD_NONE;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  pid_t supervisor = fork();
  int error = errno;
  if (supervisor <= 0) {
    close(ends[0]);
    line = ends[1];
    if (supervisor == 0) return GUARD_SUPERVISOR;
    close(line);
    line = -1;
    errno = error;
    return GUARD_NONE;
  }
  close(ends[1]);
  memset(held, -1, sizeof held);
  let_go_of_caller();
  name_process("strobe-guard");
  job_relay(supervisor);
  await_killed(supervisor, ends[0], answer, held);
  close(ends[0]);
  name_process("strobe-supervisor");
  *inherited = (struct target){.in = held[GUARDED_IN],
                               .out = held[GUARDED_OUT],
                               .err = held[GUARDED_ERR],
                               .terminal = held[GUARDED_TERMINAL],
                               .listener = held[GUARDED_LISTENER]};
  return GUARD_HEIR;
}
