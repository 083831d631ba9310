/* Threads begin all the time, and look at the end which signals they block: none of them was told to. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define MOST 3000

static atomic_int blocking;

__attribute__((noinline)) int look(void) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  return sigismember(&blocked, SIGUSR1);
}

static void *work(void *line) {
  char byte;
  if (read(*(int *)line, &byte, 1) == 0) blocking += look();
  return NULL;
}

int main(void) {
  static pthread_t threads[MOST];
  struct pollfd told = {.fd = STDIN_FILENO, .events = POLLIN};
  int line[2], count = 0;
  if (pipe(line) != 0) return 1;
  puts("running");
  fflush(stdout);
  while (poll(&told, 1, 0) == 0) {
    if (count < MOST && pthread_create(&threads[count], NULL, work, line) == 0) count++;
    usleep(1000);
  }
  close(line[1]);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  printf("blocking %d\n", blocking);
  return 0;
}
