// Prints a step now and then; Ctrl-C, a new window size and SIGTERM are told, the second SIGTERM ends it.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static volatile sig_atomic_t terms;

static void say(const char *what) { (void)!write(1, what, strlen(what)); }

static void on_signal(int number) {
  char line[40];
  struct winsize size = {0};
  if (number == SIGINT) say("interrupted\n");
  else if (number == SIGUSR1) say("first user signal\n");
  else if (number == SIGTERM) say(++terms == 1 ? "first term\n" : "second term\n");
  else if (ioctl(1, TIOCGWINSZ, &size) == 0) {
    snprintf(line, sizeof line, "columns %d\n", size.ws_col);
    say(line);
  }
}

__attribute__((noinline)) int step(int number) {
  printf("step %d.\n", number);
  fflush(stdout);
  return number % 7;
}

int main(void) {
  int handled[] = {SIGINT, SIGUSR1, SIGTERM, SIGWINCH};
  for (int i = 0; i < 4; i++) signal(handled[i], on_signal);
  for (int number = 1; terms < 2; number++, usleep(50000)) step(number);
  return 5;
}
