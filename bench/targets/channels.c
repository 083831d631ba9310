/* Sends 256 bytes again and again: into a library that is called like OpenSSL ("hook", nanoseconds of processor time a
 * call; "mapped", the same of bytes in memory that was mapped, as large buffers and those of threads are), over a pair of connected sockets ("socket", the same a message), or as requests of HTTP that it answers
 * itself ("requests"). Bursts with pauses, so that what is recorded is read; of the bursts the quickest counts. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int SSL_write(void *session, const void *data, int length);

#define BYTES 256
#define BURSTS 40

static char variable[BYTES], *text = variable;
static int ends[2];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static void hook(int count) {
  for (int i = 0; i < count; i++) SSL_write(ends, text, BYTES);
}

static void message(int count) {
  char got[BYTES];
  for (int i = 0; i < count; i++) {
    send(ends[0], text, BYTES, 0);
    recv(ends[1], got, BYTES, 0);
  }
}

static void connected(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  bind(listening, (struct sockaddr *)&address, size);
  listen(listening, 1);
  getsockname(listening, (struct sockaddr *)&address, &size);
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  connect(ends[0], (struct sockaddr *)&address, size);
  ends[1] = accept(listening, 0, 0);
}

static void requests(int count) {
  static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbread";
  char line[BYTES], got[BYTES];
  for (int i = 0; i < count; i++) {
    int length = snprintf(line, sizeof line, "GET /shelf/%d HTTP/1.1\r\nHost: x\r\n\r\n", i);
    send(ends[0], line, length, 0);
    recv(ends[1], got, sizeof got, 0);
    send(ends[1], answer, sizeof answer - 1, 0);
    recv(ends[0], got, sizeof got, 0);
    if (i % 500 == 0) usleep(10000);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int count = atoi(argv[2]);
  if (strcmp(argv[1], "mapped") == 0)
    text = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(text, 'x', BYTES);
  connected();
  if (strcmp(argv[1], "requests") == 0) {
    requests(count);
    return 0;
  }
  void (*work)(int) = strcmp(argv[1], "socket") == 0 ? message : hook;
  double least = 1e18;
  for (int i = 0; i < BURSTS; i++) {
    double began = now();
    work(count);
    double each = (now() - began) / count;
    if (each < least) least = each;
    usleep(50000);
  }
  printf("%.1f\n", least);
  return 0;
}
