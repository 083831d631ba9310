// A counter that the program, a forked child and an executed one raise by 1, 10 and 100.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int counter;

__attribute__((noinline)) void work(int by) {
  volatile int step = by;
  counter += step;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    work(100);
    work(100);
    return 0;
  }
  work(1);
  work(1);
  pid_t forked = fork();
  if (forked == 0) {
    work(10);
    work(10);
    exit(0);
  }
  waitpid(forked, NULL, 0);
  pid_t executed = fork();
  if (executed == 0) execl(argv[0], argv[0], "again", (char *)NULL);
  waitpid(executed, NULL, 0);
  return 0;
}
