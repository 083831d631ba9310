/* So many calls a second: `steady THREADS RATE SECONDS` (all threads together); prints how many
 * calls it made and how many seconds that took. Sleeps between batches of a millisecond. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double rate, seconds;

__attribute__((noinline)) unsigned work(unsigned value, unsigned round) {
  return value * 2654435761u + (round ^ (value >> 7));
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct share {
  unsigned long calls;
  unsigned value;
};

static void *run(void *given) {
  struct share *share = given;
  const unsigned long wanted = (unsigned long)(rate * seconds), batch = (unsigned long)(rate / 1000);
  const double begin = now();
  while (share->calls < wanted) {
    for (unsigned long i = 0; i < batch; i++) share->value = work(share->value, (unsigned)i);
    share->calls += batch;
    const double ahead = (double)share->calls / rate - (now() - begin);
    if (ahead <= 0) continue;
    const struct timespec pause = {0, (long)(ahead * 1e9)};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  rate = (argc > 2 ? atof(argv[2]) : 1e6) / threads;
  seconds = argc > 3 ? atof(argv[3]) : 1;
  pthread_t ids[64];
  struct share shares[64] = {0};
  if (threads < 1 || threads > 64 || rate < 1000) return 2;
  const double begin = now();
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, run, &shares[i]);
  unsigned long calls = 0;
  unsigned value = 0;
  for (int i = 0; i < threads; i++) {
    pthread_join(ids[i], NULL);
    calls += shares[i].calls;
    value ^= shares[i].value;
  }
  printf("%lu %.3f %u\n", calls, now() - begin, value);
  return 0;
}
