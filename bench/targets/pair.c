/* Nanoseconds per call of a small function: `pair ROUNDS CALLS`; one line per round. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) unsigned mix(unsigned value, unsigned round) {
  return value * 2654435761u + (round ^ (value >> 7));
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 7;
  const unsigned calls = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000000;
  unsigned value = 1;
  for (unsigned warm = 0; warm < calls / 10; warm++) value = mix(value, warm);
  for (int round = 0; round < rounds; round++) {
    const double begin = now();
    for (unsigned call = 0; call < calls; call++) value = mix(value, call);
    printf("%.3f\n", (now() - begin) / calls);
    fflush(stdout);
  }
  fprintf(stderr, "%u\n", value);
  return 0;
}
