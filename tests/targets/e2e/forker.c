// Forks a child for each line of its input; the child calls a function, then ends or becomes another program.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int step(int a) {
  for (volatile int i = 0; i < 3; i++) a += i;
  return a;
}

int main(void) {
  char line[32];
  signal(SIGCHLD, SIG_IGN);
  puts("ready");
  fflush(stdout);
  for (int i = 0; fgets(line, sizeof line, stdin); i++) {
    if (fork() != 0) continue;
    step(i);
    if (strncmp(line, "exec", 4) == 0) execlp("sleep", "sleep", "62", (char *)NULL);
    _exit(0);
  }
  return 0;
}
