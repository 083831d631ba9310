/* Rounds of work, each framed by a call that opens it and one that closes it; forks when asked to. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static _Atomic long sum;

NOINLINE void open_round(long round) { sum += round; }
NOINLINE void close_round(long round) { sum -= round; }
NOINLINE long work(long round, long item) { return sum += round * item; }
NOINLINE long other(long item) { return sum += item; }

static void *toggles(void *count) {
  for (long i = 0; i < (long)count; i++) {
    open_round(i);
    work(i, 1);
    close_round(i);
  }
  return count;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "race") == 0) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, toggles, (void *)20000);
    for (long i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    open_round(200000);
    work(200000, 1);
    close_round(200000);
    work(200001, 1);
  } else {
    for (long round = 0; round < 10; round++) {
      other(round);
      open_round(round);
      for (long item = 0; item < 3; item++) work(round, item);
      close_round(round);
      work(-1, round);
    }
    if (strcmp(how, "fork") == 0) {
      open_round(100);
      const pid_t child = fork();
      work(child == 0 ? 101 : 102, 1);
      if (child == 0) _exit(0);
      waitpid(child, NULL, 0);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
