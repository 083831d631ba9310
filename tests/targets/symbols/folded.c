// Two functions of equal code, which a linker with --icf=all makes one, and one of its own.
#include <stdio.h>

__attribute__((noinline)) int priceOf(int amount) { return amount * 7 + 3; }
__attribute__((noinline)) int weightOf(int amount) { return amount * 7 + 3; }
__attribute__((noinline)) int lengthOf(int amount) { return amount * 11 + 5; }

int main(int count, char **words)
{
  (void)words;
  printf("%d\n", priceOf(count) + weightOf(count) + lengthOf(count));
  return 0;
}
