// Forks a child that calls no exec and lasts until it is killed, says its pid, and waits for it.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    for (;;) pause();
  printf("child %d\n", child);
  fflush(stdout);
  waitpid(child, &status, 0);
  printf("signal %d\n", WTERMSIG(status));
  return 0;
}
