/* For each line "n rounds": runs bursts of n steps, with a pause behind each, and prints what a step took, in
 * nanoseconds of the thread's processor time. With NO_ROOM a step has a statement without room for a jump, and the time
 * is that of a clock: others work for it. */
#include <stdio.h>
#include <time.h>

static volatile long sink;

#ifdef NO_ROOM
#define CLOCK CLOCK_MONOTONIC
static __attribute__((naked)) void nothing(void) { __asm__("ret"); }
#else
#define CLOCK CLOCK_THREAD_CPUTIME_ID
#endif

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

static __attribute__((noinline)) void step(long i, long twice) {
  long sum = i + twice;
#ifdef NO_ROOM
  register void (*call)(void) __asm__("rbx") = nothing;
  __asm__ volatile("nop\n\tcall *%0" : : "r"(call) : "memory"); /* no room */
#endif
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
