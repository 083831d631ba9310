// Closes, redirects and reopens its streams, and goes on. Argument: what it does.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) int work(int step) {
  printf("step %d\n", step);
  fflush(stdout);
  return step * 2;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int sum = work(1);
  if (strcmp(what, "close") == 0) {
    close(0), close(1), close(2);
  } else if (strcmp(what, "redirect") == 0) {
    int file = open("/dev/null", O_WRONLY);
    dup2(file, 2);
    dup2(1, file);
    dup2(file, 2);
    fprintf(stderr, "on stdout now\n");
  } else if (strcmp(what, "reuse") == 0) {
    close(1);
    int file = open("streams.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fprintf(stderr, "stdout is %d\n", file);
  } else if (strcmp(what, "swap") == 0) {
    int kept = dup(1);
    dup2(2, 1);
    dup2(kept, 2);
    close(kept);
    fprintf(stderr, "to the first\n");
  }
  for (int step = 2; step < 5; step++) sum += work(step);
  return sum + 10;
}
