// Forgets a block of memory.
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) char *remember(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return strcpy(copy, text);
}
__attribute__((noinline)) int lengths(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += (int)strlen(remember("forgotten"));
  return sum;
}
int main(void) { return lengths() != 27; }
