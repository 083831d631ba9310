/* Threads that call two functions without pause and check every result, until a line comes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE int add(int a, int b) {
  volatile int kept = a;
  return kept + b;
}
/* A branch and a rip-relative load among the first instructions. */
static int factor = 3;
NOINLINE int choose(int a) {
  if (a & 1) return a * factor;
  __asm__ volatile("");
  return a - factor;
}

static volatile int stop;
static void *loop(void *argument) {
  long rounds = 0;
  while (!stop) {
    for (int i = 0; i < 1000; i++, rounds++) {
      if (add(i, 7) != i + 7) abort();
      if (choose(i) != (i & 1 ? i * 3 : i - 3)) abort();
    }
  }
  *(long *)argument = rounds;
  return NULL;
}

int main(void) {
  char line[16];
  pthread_t threads[2];
  long rounds[2];
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, loop, &rounds[i]);
  puts("ready");
  if (!fgets(line, sizeof line, stdin)) return 2;
  stop = 1;
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d\n", rounds[0] > 0 && rounds[1] > 0);
  return 0;
}
