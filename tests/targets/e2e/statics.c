// A static function of one name in each of two files, called in turn; the other is in staticsOther.c.
// With an argument one call of the other is made to the own.
#include <stdio.h>

int advance(int amount);

__attribute__((noinline)) static int step(int value) {
  return printf("own %d\n", value) + value % 7;
}

__attribute__((noinline)) int both(int round, int is_own) {
  return step(round) + (is_own ? step(round + 100) : advance(round + 100));
}

int main(int argc, char **argv) {
  (void)argv;
  int total = 0;
  for (int round = 0; round < 5; round++) total += both(round, argc > 1 && round == 3);
  printf("%d\n", total);
  return 0;
}
