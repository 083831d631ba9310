/* Forks children one after another while threads begin and end, as a server does: each child sets signals' actions,
 * loads a library and ends. One that is not over after two seconds of waiting counts as stuck, and is killed.
 * Standard input: a line "N" for N children; at its end the program is over. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int step(int n) {
  __asm__ volatile("");
  return n + 1;
}

static void child(void) {
  struct sigaction ignored = {.sa_handler = SIG_IGN};
  signal(SIGINT, SIG_IGN);
  sigaction(SIGQUIT, &ignored, 0);
  _exit(!dlopen("libnss_compat.so.2", RTLD_NOW));
}

static const char *failure_of(pid_t pid) {
  int status = 0;
  for (int i = 0; i < 20000; i++) {
    if (waitpid(pid, &status, WNOHANG) == pid) return status ? "wrong" : 0;
    usleep(100);
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return "stuck";
}

/* Something is made for each thread that asks for the first time. */
static void *asks(void *nothing) {
  struct sigaction action;
  sigaction(SIGUSR1, 0, &action);
  return nothing;
}

static void *begins_threads(void *nothing) {
  for (;;) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, asks, 0);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
  }
  return nothing;
}

int main(void) {
  char line[32];
  pthread_t beginner = 0;
  setvbuf(stdout, 0, _IOLBF, 0);
  puts("ready");
  while (fgets(line, sizeof line, stdin)) {
    if (!beginner) pthread_create(&beginner, 0, begins_threads, 0);
    for (int count = atoi(line), over = 0; over < count; over = step(over)) {
      pid_t pid = fork();
      if (pid == 0) child();
      const char *failure = failure_of(pid);
      if (failure) printf("%s: child %d\n", failure, over);
    }
    puts("done");
  }
  return 0;
}
