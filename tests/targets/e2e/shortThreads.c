// Many short threads: `shortThreads COUNT TOGETHER CALLS PAUSE`: so many at the same time, calls of each, µs between.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_ulong done;
static int calls;

__attribute__((noinline)) unsigned long step(unsigned long thread, int round) {
  atomic_fetch_add(&done, 1);
  return thread * 31 + (unsigned long)round;
}

static void *work(void *thread) {
  unsigned long sum = 0;
  for (int round = 0; round < calls; round++) sum += step((unsigned long)thread, round);
  return (void *)sum;
}

int main(int argc, char **argv) {
  const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
  const unsigned long together = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  calls = argc > 3 ? atoi(argv[3]) : 1;
  const unsigned pause = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
  pthread_t *threads = calloc(together, sizeof *threads);
  unsigned long sum = 0;
  for (unsigned long first = 0; first < count; first += together) {
    unsigned long started = 0;
    for (; started < together && first + started < count; started++)
      if (pthread_create(&threads[started], NULL, work, (void *)(first + started))) return 1;
    for (unsigned long i = 0; i < started; i++) {
      void *own;
      pthread_join(threads[i], &own);
      sum += (unsigned long)own;
    }
    if (pause) usleep(pause);
  }
  printf("%lu calls, sum %lu\n", atomic_load(&done), sum);
  free(threads);
  return 0;
}
