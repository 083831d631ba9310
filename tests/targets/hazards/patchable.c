/* Functions of three bytes, one behind the other, that begin as padding looks. */
#include <stdio.h>

__attribute__((noipa)) void first(void) {}
__attribute__((noipa)) void second(void) {}
__attribute__((noipa)) int third(int a) { return a * 3; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    first();
    second();
    sum += third(i);
  }
  printf("%d\n", sum);
  return 0;
}
