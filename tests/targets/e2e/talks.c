/* Does what lines of its input say: fetch from its own server, be refused, handle a file. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listening;
static int port;
static int pair[2];

static int reach(int to) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(to)};
  inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
  close(fd);
  return -1;
}

static void *serve(void *unused) {
  char text[256];
  for (;;) {
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    int fd = accept(listening, (struct sockaddr *)&from, &size);
    long n = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (n > 4 && !memcmp(text, "GET ", 4)) n = snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 5\r\n\r\nbread");
    if (n > 0) write(fd, text, n);
    close(fd);
  }
  return unused;
}

void fetch(const char *what) {
  char answer[256];
  int fd = reach(port);
  send(fd, what, strlen(what), 0);
  recv(fd, answer, sizeof answer, 0);
  close(fd);
}

void peek(const char *what) {
  char answer[256];
  int fd = reach(port);
  send(fd, what, strlen(what), 0);
  recv(fd, answer, sizeof answer, MSG_PEEK);
  recv(fd, answer, sizeof answer, 0);
  close(fd);
}

void refused(void) {
  for (int i = 0; i < 3; i++) reach(1);
}

void keep(const char *folder) {
  char draft[256], kept[256];
  snprintf(draft, sizeof draft, "%s/draft.txt", folder);
  snprintf(kept, sizeof kept, "%s/kept.txt", folder);
  int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  write(fd, "one line\n", 9);
  close(fd);
  rename(draft, kept);
  unlink(kept);
}

/* As TLS continues after its handshake. */
void mumble(void) {
  char answer[16];
  send(pair[0], "\x17\x03\x03\x00\x05hello", 10, 0);
  recv(pair[1], answer, sizeof answer, 0);
}

/* What the library opens to find the name it closes in its own way; the file gets the number. */
void resolve(const char *folder) {
  char path[256], text[16];
  struct addrinfo *found = 0;
  if (!getaddrinfo("localhost", "http", 0, &found)) freeaddrinfo(found);
  snprintf(path, sizeof path, "%s/kept.txt", folder);
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  write(fd, "no socket\n", 10);
  lseek(fd, 0, SEEK_SET);
  read(fd, text, sizeof text);
  close(fd);
}

int main(int argc, char **argv) {
  struct sockaddr_in a = {.sin_family = AF_INET};
  inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
  socklen_t size = sizeof a;
  listening = socket(AF_INET, SOCK_STREAM, 0);
  bind(listening, (struct sockaddr *)&a, sizeof a);
  listen(listening, 8);
  getsockname(listening, (struct sockaddr *)&a, &size);
  port = ntohs(a.sin_port);
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  pthread_t thread;
  pthread_create(&thread, 0, serve, 0);
  printf("listening %d\n", port);
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    if (!strcmp(line, "fetch\n")) fetch("ask for bread");
    if (!strcmp(line, "browse\n"))
      fetch("GET /shelf?id=7&token=t0p HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t0p\r\n\r\n");
    if (!strcmp(line, "peek\n")) peek("GET /once HTTP/1.1\r\n\r\n");
    if (!strcmp(line, "mumble\n")) mumble();
    if (!strcmp(line, "refused\n")) refused();
    if (!strcmp(line, "keep\n") && argc > 1) keep(argv[1]);
    if (!strcmp(line, "resolve\n") && argc > 1) resolve(argv[1]);
    printf("done %s", line);
    fflush(stdout);
  }
  return 0;
}
