/*
 * kills COUNT FIRST STEP: starts itself COUNT times, kills each by SIGKILL FIRST + n * STEP milliseconds after its
 * fork, waits for it and prints what it died of. Without arguments it is what gets killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms) {
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) < 0) {
  }
}

__attribute__((noinline)) int worked(int turn) {
  volatile int sum = turn * 3;
  return sum + 1;
}

static int work(void) {
  for (int turn = 0; turn < 3000; turn++) {
    worked(turn);
    pause_ms(2);
  }
  return 3;
}

int main(int count, char **args) {
  if (count < 4) return work();
  long first = atol(args[2]), step = atol(args[3]);
  for (long turn = 0; turn < atol(args[1]); turn++) {
    pid_t pid = fork();
    if (pid == 0) {
      execl(args[0], args[0], (char *)NULL);
      _exit(127);
    }
    int status = 0;
    pause_ms(first + turn * step);
    kill(pid, SIGKILL);
    if (waitpid(pid, &status, 0) != pid) return 1;
    printf("%ld ms: %s %d\n", first + turn * step, WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fflush(stdout);
  }
  puts("end");
  return 5;
}
