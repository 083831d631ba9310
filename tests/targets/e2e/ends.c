// Ends as told: `exit N`, `signal N` (raised), `fault N` (a write to address N), or
// `lines N` (N lines on stdout and stderr, then exit 0).
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) int line(int number) {
  printf("out %d\n", number);
  fprintf(stderr, "err %d\n", number);
  return number;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "exit";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(how, "signal") == 0) {
    puts("about to die");
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
  }
  if (strcmp(how, "fault") == 0) {
    puts("about to fault");
    fflush(stdout);
    *(volatile int *)(long)number = 1;
  }
  if (strcmp(how, "lines") == 0) {
    for (int i = 1; i <= number; i++) line(i);
    return 0;
  }
  return number;
}
