/* Signals to the process that its only thread blocks: they stay pending until it takes them, in the order it likes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile sig_atomic_t early;
static void on_user(int number) {
  (void)number;
  early++;
}

NOINLINE int take(const sigset_t *set) {
  int number = 0;
  sigwait(set, &number);
  return number;
}

NOINLINE long round_of(int turn) {
  sigset_t term, user, both, before, pending;
  sigemptyset(&term);
  sigemptyset(&user);
  sigaddset(&term, SIGTERM);
  sigaddset(&user, SIGUSR1);
  both = term;
  sigaddset(&both, SIGUSR1);
  sigprocmask(SIG_BLOCK, &both, &before);
  kill(getpid(), turn % 2 ? SIGTERM : SIGUSR1);
  kill(getpid(), turn % 2 ? SIGUSR1 : SIGTERM);
  usleep(200);
  sigpending(&pending);
  int waiting = sigismember(&pending, SIGTERM) + sigismember(&pending, SIGUSR1);
  int first = take(&term);
  int handled = early;
  sigprocmask(SIG_SETMASK, &before, NULL);
  return waiting * 100 + first + (early - handled) * 1000;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 1) {
    puts(argv[1]);
    getchar();
  }
  signal(SIGUSR1, on_user);
  long sum = 0;
  for (int turn = 0; turn < 100; turn++) sum += round_of(turn);
  printf("%ld, handled %d\n", sum, (int)early);
  return 6;
}
