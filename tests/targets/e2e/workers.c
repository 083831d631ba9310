/* A server that forks a worker at the first line of input, and has it serve every later line until the end. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

NOINLINE int first(int a) { KEEP; return a + 1; }
NOINLINE int second(int a) { KEEP; return a + 2; }

int main(void) {
  char line[64];
  int requests[2];
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("ready");
  if (!fgets(line, sizeof line, stdin) || pipe(requests)) return 2;
  pid_t worker = fork();
  if (worker == 0) {
    close(requests[1]);
    int number;
    printf("worker %d\n", first(0));
    while (read(requests[0], &number, sizeof number) == sizeof number) printf("served %d\n", first(number) + second(number));
    _exit(4);
  }
  while (fgets(line, sizeof line, stdin)) {
    int number = first(atoi(line));
    if (write(requests[1], &number, sizeof number) != sizeof number) return 3;
  }
  close(requests[1]);
  int status;
  waitpid(worker, &status, 0);
  return WEXITSTATUS(status);
}
