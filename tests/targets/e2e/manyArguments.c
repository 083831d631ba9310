// Nine arguments, of which three lie on the stack; its debug information may leave them out (-g1).
#include <stdio.h>

__attribute__((noinline)) int nine(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
  printf("%d %d %d %d %d %d %d %d %d\n", a, b, c, d, e, f, g, h, i);
  return a + g * h - i;
}

int main(void) {
  return nine(1, 2, 3, 4, 5, 6, 7, 8, 9);
}
