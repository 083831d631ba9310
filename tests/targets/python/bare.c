/* Looks like an interpreter, as it holds the name of its main function, and exports none of its
 * symbols. */
#include <stdio.h>

static const char *volatile name = "Py_BytesMain";

int main(void) {
  puts(name);
  return 0;
}
