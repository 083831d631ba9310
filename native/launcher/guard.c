/*
 * The guard: a second holder of what a tree cannot live without. When the last holder of an exec
 * listener ends, every exec of the tree fails for ever (ENOSYS), and who writes to a pipe without
 * reader dies. So a small process waits for the end of the keeper, and from then on lets every exec
 * go and reads the tree's output without keeping it. It is no child of the keeper, and ends with the tree.
 */
#define _GNU_SOURCE
#include "supervise.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void guard_let_go(int listener, struct seccomp_notif *notice)
{
  struct seccomp_notif_resp answer = {.id = notice->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer); /* fails when the caller was killed meanwhile */
  notice->id = 0;
}

struct guarded { int listener, out, err; };

/* False at the end of the keeper. */
static bool receive_guarded(int line, struct guarded *guarded)
{
  char count, room[CMSG_SPACE(sizeof *guarded)];
  struct iovec part = {&count, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  ssize_t got;
  do got = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  struct cmsghdr *rights = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (!rights || rights->cmsg_type != SCM_RIGHTS) return false;
  *guarded = (struct guarded){-1, -1, -1};
  memcpy(guarded, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
  return true;
}

/* False when nothing will come any more. */
static bool read_away(int fd)
{
  static char away[64 << 10];
  ssize_t got = read(fd, away, sizeof away);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static void await_end(int line)
{
  char byte;
  ssize_t got;
  do got = read(line, &byte, 1);
  while (got > 0 || (got < 0 && errno == EINTR));
}

static _Noreturn void guard(int line, struct shared *shared)
{
  struct guarded own;
  if (!receive_guarded(line, &own)) _exit(0);
  await_end(line);
  for (int i = 0; i < WAITING_EXECS; i++)
    if (shared->waiting[i].id) guard_let_go(own.listener, &shared->waiting[i]);
  for (int i = 0; i < HELD_PROCESSES; i++)
    if (shared->held[i]) kill(shared->held[i], SIGCONT);
  for (;;) {
    struct pollfd slots[] = {{own.listener, POLLIN, 0}, {own.out, POLLIN, 0}, {own.err, POLLIN, 0}};
    struct seccomp_notif notice = {0};
    if (poll(slots, 3, -1) < 0) continue;
    if (slots[0].revents & POLLIN && ioctl(own.listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) == 0)
      guard_let_go(own.listener, &notice);
    else if (slots[0].revents & ~POLLIN) _exit(0);
    if (slots[1].revents && !read_away(own.out)) own.out = -1;
    if (slots[2].revents && !read_away(own.err)) own.err = -1;
  }
}

struct shared *guard_start(int *line)
{
  int ends[2];
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return NULL;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return NULL;
  pid_t between = fork();
  int error = errno;
  if (between == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    dup2(ends[1], 3);
    close_above(3);
    let_go_of_caller();
    name_process("strobe-guard");
    guard(3, shared);
  }
  close(ends[1]);
  if (between > 0) waitpid(between, NULL, 0);
  if (between < 0) {
    close(ends[0]);
    errno = error;
    return NULL;
  }
  *line = ends[0];
  return shared;
}

void guard_arm(int line, const struct target *target)
{
  int fds[] = {target->listener, target->out, target->err};
  int count = target->out < 0 ? 1 : target->err < 0 ? 2 : 3;
  char byte = 0, room[CMSG_SPACE(sizeof fds)] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = room,
                           .msg_controllen = CMSG_SPACE((size_t)count * sizeof fds[0])};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN((size_t)count * sizeof fds[0]);
  memcpy(CMSG_DATA(rights), fds, (size_t)count * sizeof fds[0]);
  while (sendmsg(line, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}
