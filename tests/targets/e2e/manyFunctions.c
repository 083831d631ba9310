/* 1,100 functions, each called once: more than can be counted. */
#include <stdio.h>

#define ONE(n) __attribute__((noinline, noclone)) unsigned crowd_##n(unsigned a) { return a * 31 + 1##n; }
#define NAME(n) crowd_##n,
#define TEN(F, n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define HUNDRED(F, n) TEN(F, n##0) TEN(F, n##1) TEN(F, n##2) TEN(F, n##3) TEN(F, n##4) TEN(F, n##5) TEN(F, n##6) TEN(F, n##7) TEN(F, n##8) TEN(F, n##9)
#define ALL(F) HUNDRED(F, 0) HUNDRED(F, 1) HUNDRED(F, 2) HUNDRED(F, 3) HUNDRED(F, 4) HUNDRED(F, 5) HUNDRED(F, 6) HUNDRED(F, 7) HUNDRED(F, 8) HUNDRED(F, 9) HUNDRED(F, 10)

ALL(ONE)
static unsigned (*const all[])(unsigned) = {ALL(NAME)};

int main(void) {
  unsigned value = 1;
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) value = all[i](value);
  printf("%u\n", value);
  return 0;
}
