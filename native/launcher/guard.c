/*
 * The guard: a second holder of the exec listener. When the last holder of a listener ends, every
 * exec of the tree fails for ever (ENOSYS); so a small process waits for the end of the keeper and
 * from then on lets every exec go. It is forked before the keeper has anything to its name, is no child
 * of it, and ends with the tree.
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

/* -1 at the end of the keeper. */
static int receive_listener(int line)
{
  char byte, room[CMSG_SPACE(sizeof(int))];
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  ssize_t got;
  do got = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  struct cmsghdr *part_of = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (!part_of || part_of->cmsg_type != SCM_RIGHTS) return -1;
  int fd;
  memcpy(&fd, CMSG_DATA(part_of), sizeof fd);
  return fd;
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
  int listener = receive_listener(line);
  if (listener < 0) _exit(0);
  await_end(line);
  for (int i = 0; i < WAITING_EXECS; i++)
    if (shared->waiting[i].id) guard_let_go(listener, &shared->waiting[i]);
  for (int i = 0; i < HELD_PROCESSES; i++)
    if (shared->held[i]) kill(shared->held[i], SIGCONT);
  for (;;) {
    struct pollfd slot = {listener, POLLIN, 0};
    struct seccomp_notif notice = {0};
    if (poll(&slot, 1, -1) < 0) continue;
    if (slot.revents & POLLIN && ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) == 0)
      guard_let_go(listener, &notice);
    else if (slot.revents & ~POLLIN) _exit(0);
  }
}

struct shared *guard_start(int *line)
{
  int ends[2];
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return NULL;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return NULL;
  pid_t between = fork();
  if (between == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    dup2(ends[1], 3);
    close_above(3);
    let_go_of_caller();
    guard(3, shared);
  }
  close(ends[1]);
  if (between > 0) waitpid(between, NULL, 0);
  if (between < 0) {
    close(ends[0]);
    return NULL;
  }
  *line = ends[0];
  return shared;
}

void guard_arm(int line, int listener)
{
  char byte = 'l', room[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof listener);
  memcpy(CMSG_DATA(rights), &listener, sizeof listener);
  while (sendmsg(line, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}
