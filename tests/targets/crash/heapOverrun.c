// Writes behind the end of a block of the heap; the C library notices when the next one is freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) void copy_name(char *to, const char *name) { strcpy(to, name); }
__attribute__((noinline)) void drop_all(char *first, char *second) {
  free(second);
  free(first);
}
int main(void) {
  char *first = malloc(24), *second = malloc(2000), *third = malloc(24);
  copy_name(first, "a name that is longer than its block of the heap");
  printf("%s\n", first);
  fflush(stdout);
  drop_all(first, second);
  free(third);
}
