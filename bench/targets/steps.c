/* For each line "n rounds": runs bursts of n steps, with a pause behind each, and prints what a step took, in
 * nanoseconds of the thread's processor time. */
#include <stdio.h>
#include <time.h>

static volatile long sink;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

static __attribute__((noinline)) void step(long i, long twice) {
  long sum = i + twice;
  sink += sum; /* here */
}

int main(void) {
  long count, rounds;
  puts("ready");
  fflush(stdout);
  while (scanf("%ld %ld", &count, &rounds) == 2) {
    long took = 0;
    for (long round = 0; round < rounds; round++) {
      long began = now();
      for (long i = 0; i < count; i++) step(i, 2 * i);
      took += now() - began;
      nanosleep(&(struct timespec){0, 300000000}, 0);
    }
    printf("%.3f\n", (double)took / (double)(count * rounds));
    fflush(stdout);
  }
  return 0;
}
