/* A copy longer than its array overwrites the return address, and nothing guards it: the function returns into letters. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int parse(const char *line, int length) {
  char field[16];
  memcpy(field, line, length);
  return field[0];
}
int main(void) {
  char line[128];
  memset(line, 'A', sizeof line);
  printf("%d\n", parse(line, 100));
}
