// Writes by the beginnings of functions, 100 rounds of them: by the first instruction, and by one behind the first few.
#include <stdio.h>

long added, stepped = 0xffffffcd;

__attribute__((noinline)) void add(void) { added++; }
__attribute__((noinline)) long step(long *at) { return ++*at; }

int main(void) {
  for (int i = 0; i < 100; i++) {
    add();
    step(&stepped);
  }
  printf("added %ld stepped %ld\n", added, stepped);
  return 0;
}
