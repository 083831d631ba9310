/*
 * Executes PROGRAM in a child whose alarm is set to 300 ms, with a handler that restarts no call;
 * says "expired" when that time is over, then how the child ended.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void handle(int number) { (void)number; }

static pid_t start(const char *program) {
  struct itimerval once = {{0, 0}, {0, 300000}};
  struct sigaction action = {.sa_handler = handle};
  pid_t pid = fork();
  if (pid != 0) return pid;
  if (program) sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &once, NULL);
  if (program) execl(program, program, (char *)NULL);
  else pause();
  _exit(errno == EINTR ? 77 : 78);
}

int main(int count, char **words) {
  int status = 0;
  char line[8];
  if (count != 2 || !fgets(line, sizeof line, stdin)) return 2;
  pid_t held = start(words[1]), clock = start(NULL);
  waitpid(clock, &status, 0);
  puts(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "expired" : "not expired");
  fflush(stdout);
  waitpid(held, &status, 0);
  printf("status %x\n", status);
  return 0;
}
