/* A copy without bound runs over the stack's guard value. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int greet(const char *name) {
  char text[16];
  strcpy(text, "hello, ");
  strcat(text, name);
  return puts(text);
}
int main(void) {
  greet("ann");
  return greet("somebody with a very long name indeed");
}
