/* Speaks over a socket pair, to ports where nobody listens, and to a file that is not there. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
static void serve_one(int from, int to) {
  char text[64];
  long n = recv(from, text, sizeof text, 0);
  if (n > 0) send(to, text, n, MSG_NOSIGNAL);
}
static int reach(int port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int rc = connect(fd, (struct sockaddr *)&a, sizeof a);
  int e = errno;
  close(fd);
  errno = e;
  return rc;
}
int main(void) {
  int p[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, p);
  send(p[0], "hello world", 11, 0);
  serve_one(p[1], p[1]);
  char b[64];
  read(p[0], b, sizeof b);
  struct iovec parts[2] = {{"two ", 4}, {"parts", 5}};
  writev(p[0], parts, 2);
  struct iovec room[2] = {{b, 3}, {b + 8, 8}};
  struct msghdr message = {.msg_iov = room, .msg_iovlen = 2};
  recvmsg(p[1], &message, 0);
  sendmsg(p[1], &(struct msghdr){.msg_iov = parts, .msg_iovlen = 2}, 0);
  readv(p[0], room, 2);
  int rc = reach(1);
  if (rc < 0) perror("reach");
  int fd = open("/nowhere/at/all", O_RDWR | O_CREAT | O_TRUNC, 0600);
  printf("%d %d\n", fd, errno);
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(1)};
  inet_pton(AF_INET6, "::1", &six.sin6_addr);
  int s = socket(AF_INET6, SOCK_STREAM, 0);
  connect(s, (struct sockaddr *)&six, sizeof six);
  struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/nowhere/none.sock"};
  int u = socket(AF_UNIX, SOCK_STREAM, 0);
  connect(u, (struct sockaddr *)&un, sizeof un);
  int q[2]; pipe(q);
  fcntl(q[0], F_SETFL, O_NONBLOCK);
  read(q[0], b, 5);
  close(q[1]);
  read(q[0], b, 5);
  return 0;
}
