// Answers each line of its input; says when the input ends.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int answer(const char *line) {
  printf("got [%s]\n", line);
  fflush(stdout);
  return (int)strlen(line);
}

int main(void) {
  char line[4096];
  int total = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    total += answer(line);
  }
  printf("end of input after %d characters\n", total);
  return total % 256;
}
