/* A busy server: the main thread waits in epoll, one thread per connection answers each request
 * "N\n" with the sum of 1..N. Every call that waits is checked: what comes back must be right, and a
 * call that was cut short (EINTR) is told on standard error at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void failed(const char *call) {
  fprintf(stderr, "%s: %s\n", call, strerror(errno));
  if (errno != EINTR) exit(1);
}

long sum_to(long n) {
  volatile long sum = 0;
  for (long i = 1; i <= n; i++) sum += i;
  return sum;
}

static long answered;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void count_answer(long n) {
  pthread_mutex_lock(&guard);
  if (++answered % 500 == 0) printf("answered %ld, the last %ld\n", answered, n);
  pthread_mutex_unlock(&guard);
}

static long ask(FILE *in) {
  char line[32];
  return fgets(line, sizeof line, in) ? strtol(line, NULL, 10) : 0;
}

static void *serve(void *argument) {
  int fd = (int)(long)argument;
  FILE *in = fdopen(fd, "r");
  for (long n; (n = ask(in)) > 0;) {
    char line[32];
    int length = snprintf(line, sizeof line, "%ld\n", sum_to(n));
    if (write(fd, line, (size_t)length) != length) failed("write");
    count_answer(n);
  }
  if (ferror(in)) failed("read");
  fclose(in);
  return NULL;
}

__attribute__((noreturn)) static void *wait_for_nothing(void *condition) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(condition, &lock);
}

int main(int count, char **arguments) {
  static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  if (count < 2 || strlen(arguments[1]) >= sizeof place.sun_path) return 2;
  strcpy(place.sun_path, arguments[1]);
  setvbuf(stdout, NULL, _IOLBF, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_nothing, &never);
  int door = socket(AF_UNIX, SOCK_STREAM, 0), waiting = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN};
  if (bind(door, (struct sockaddr *)&place, sizeof place) || listen(door, 16)) return 3;
  if (epoll_ctl(waiting, EPOLL_CTL_ADD, door, &wanted)) return 4;
  puts("listening");
  for (;;) {
    if (epoll_wait(waiting, &wanted, 1, -1) != 1) {
      failed("epoll_wait");
      continue;
    }
    int fd = accept(door, NULL, NULL);
    if (fd < 0) failed("accept");
    else if (pthread_create(&thread, NULL, serve, (void *)(long)fd) || pthread_detach(thread)) return 5;
  }
}
