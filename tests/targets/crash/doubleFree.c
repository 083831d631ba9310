/* Frees a block twice: the heap's own check aborts. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void drop(void **slot) { free(*slot); }
__attribute__((noinline)) void close_all(void **first, void **second) {
  drop(first);
  drop(second);
}
int main(void) {
  void *buffer = malloc(40), *alias = buffer;
  puts("closing");
  fflush(stdout);
  close_all(&buffer, &alias);
}
