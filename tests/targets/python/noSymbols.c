/* Looks like an interpreter of Python, and exports nothing of it. */
#include <stdio.h>

static const char name[] = "\0Py_BytesMain";

int main(void) {
  printf("%s\n", name + 1);
  return 0;
}
