/* Many threads sleep in a call of the system while the first one works, until its input ends. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 60

static int line[2];

static void *sleeping(void *unused) {
  char byte;
  (void)unused;
  while (read(line[0], &byte, 1) > 0) {
  }
  return NULL;
}

__attribute__((noinline)) static int beat(int count) {
  usleep(1000);
  return count + 1;
}

int main(void) {
  pthread_t threads[THREADS];
  struct pollfd told = {.fd = STDIN_FILENO, .events = POLLIN};
  int count = 0;
  if (pipe(line) != 0) return 1;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, sleeping, NULL);
  puts("running");
  fflush(stdout);
  while (poll(&told, 1, 0) == 0) count = beat(count);
  close(line[1]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("beats %d\n", count > 0);
  return 0;
}
