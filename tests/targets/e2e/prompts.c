// Asks with a prompt that has no newline and answers on the same line, as debuggers and shells do.
#include <stdio.h>
#include <stdlib.h>

long twice(const char *text) { return strtol(text, NULL, 10) * 2; }

int main(void) {
  char line[100];
  for (;;) {
    printf("> ");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) break;
    for (long i = 1, n = twice(line); i <= n; i++) printf("= %ld\n", i);
  }
  puts("bye");
  return 0;
}
