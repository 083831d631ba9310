/* 10,000 small functions, for the cost of hooks. `crowd SWEEPS` waits for a line of input, then calls every one SWEEPS times and prints nanoseconds per call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ONE(n) __attribute__((noinline)) unsigned crowd_##n(unsigned a, unsigned b) { return a * 2654435761u + (b ^ (a >> 7)) + 1##n; }
#define NAME(n) crowd_##n,
#define TEN(F, n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define HUNDRED(F, n) TEN(F, n##0) TEN(F, n##1) TEN(F, n##2) TEN(F, n##3) TEN(F, n##4) TEN(F, n##5) TEN(F, n##6) TEN(F, n##7) TEN(F, n##8) TEN(F, n##9)
#define THOUSAND(F, n) HUNDRED(F, n##0) HUNDRED(F, n##1) HUNDRED(F, n##2) HUNDRED(F, n##3) HUNDRED(F, n##4) HUNDRED(F, n##5) HUNDRED(F, n##6) HUNDRED(F, n##7) HUNDRED(F, n##8) HUNDRED(F, n##9)
#define TEN_THOUSAND(F, n) THOUSAND(F, n##0) THOUSAND(F, n##1) THOUSAND(F, n##2) THOUSAND(F, n##3) THOUSAND(F, n##4) THOUSAND(F, n##5) THOUSAND(F, n##6) THOUSAND(F, n##7) THOUSAND(F, n##8) THOUSAND(F, n##9)

TEN_THOUSAND(ONE, 0)
static unsigned (*const all[])(unsigned, unsigned) = {TEN_THOUSAND(NAME, 0)};

int main(int argc, char **argv) {
  const int sweeps = argc > 1 ? atoi(argv[1]) : 1;
  const unsigned count = sizeof all / sizeof *all;
  unsigned value = 1;
  struct timespec begin, end;
  if (getchar() == EOF) return 1;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < count; i++) value = all[i](value, i);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.3f\n", ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / count);
    fflush(stdout);
  }
  fprintf(stderr, "%u\n", value);
  return 0;
}
