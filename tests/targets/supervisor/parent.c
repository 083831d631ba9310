/* Executes PROGRAM in a child, and says which of its signals it got of it until that ended. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int exited, stopped, continued;

static void on_child(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  if (info->si_code == CLD_STOPPED) stopped++;
  else if (info->si_code == CLD_CONTINUED) continued++;
  else exited++;
}

int main(int count, char **words) {
  struct sigaction action = {.sa_sigaction = on_child, .sa_flags = SA_SIGINFO};
  siginfo_t ended;
  char line[8];
  if (count < 2 || !fgets(line, sizeof line, stdin)) return 2;
  sigaction(SIGCHLD, &action, NULL);
  if (fork() == 0) {
    execv(words[1], words + 1);
    _exit(99);
  }
  while (exited == 0) pause();
  waitid(P_ALL, 0, &ended, WEXITED);
  printf("exited %d stopped %d continued %d\n", exited, stopped, continued);
  return ended.si_status;
}
