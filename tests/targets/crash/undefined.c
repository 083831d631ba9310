// Shifts by more than the width of the type and overflows a sum; goes on all the same.
#include <limits.h>
#include <stdio.h>
__attribute__((noinline)) int widen(int value, int by) { return value << by; }
__attribute__((noinline)) int add(int a, int b) { return a + b; }
int main(int count, char **words) {
  (void)words;
  printf("%d\n", widen(count, 31 + count));
  printf("%d\n", add(INT_MAX, count));
}
