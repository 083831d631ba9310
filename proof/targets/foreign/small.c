/* For a C library that is not glibc. */
#include <stdio.h>
#include <stdlib.h>

int twice(int n) { return n < 2 ? n : twice(n - 1) + twice(n - 2); }

int main(void) {
  char *text = malloc(64);
  snprintf(text, 64, "twice %d", twice(15));
  puts(text);
  free(text);
  return 3;
}
