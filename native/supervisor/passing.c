#define _GNU_SOURCE
#include "passing.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

void pass_send(int line, const void *message, size_t bytes, int fd) {
  char room[CMSG_SPACE(sizeof fd)] = {0};
  struct iovec part = {(void *)message, bytes};
  struct msghdr whole = {.msg_iov = &part, .msg_iovlen = 1};
  if (fd >= 0) {
    whole.msg_control = room;
    whole.msg_controllen = sizeof room;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&whole);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  while (sendmsg(line, &whole, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

bool pass_receive(int line, void *message, size_t bytes, int *fd, int flags) {
  char room[CMSG_SPACE(sizeof *fd)];
  struct iovec part = {message, bytes};
  struct msghdr whole = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  ssize_t got;
  do got = recvmsg(line, &whole, flags | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got != (ssize_t)bytes) return false;
  struct cmsghdr *rights = CMSG_FIRSTHDR(&whole);
  *fd = -1;
  if (rights && rights->cmsg_type == SCM_RIGHTS) memcpy(fd, CMSG_DATA(rights), sizeof *fd);
  return true;
}
