// `alive N`: so many children that live at the same time, each after a call of its own; they end when a line is read.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work(int value) {
  __asm__ volatile("");
  return value % 100 + 1;
}

int main(int argc, char **argv) {
  const int children = argc > 1 ? atoi(argv[1]) : 10;
  int called[2], ends[2], sum = 0;
  char byte = 0;
  if (pipe(called) != 0 || pipe(ends) != 0) return 1;
  for (int child = 0; child < children; child++) {
    if (fork() != 0) continue;
    close(ends[1]);
    const int result = work(child);
    if (write(called[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 0) _exit(0);
    _exit(result);
  }
  for (int child = 0; child < children; child++)
    if (read(called[0], &byte, 1) != 1) return 2;
  printf("all %d called\n", children);
  fflush(stdout);
  if (getchar() == EOF) return 3;
  close(ends[1]);
  for (int status; wait(&status) > 0;) sum += WEXITSTATUS(status);
  printf("sum %d\n", sum);
  return 0;
}
