/* What a program sees of its terminal, and what reaches it: lines, Ctrl-C, the end of input. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void on_interrupt(int number) {
  (void)number;
  (void)!write(1, "interrupted\n", 12);
}

__attribute__((noinline)) int heard(const char *line) {
  printf("\033[32mheard\033[0m [%s]\n", line);
  return (int)strlen(line);
}

int main(void) {
  struct winsize size = {0};
  int sum = 0, leader = getsid(0) == getpid(), foreground = tcgetpgrp(0) == getpgrp();
  char line[256];
  signal(SIGINT, on_interrupt);
  ioctl(1, TIOCGWINSZ, &size);
  printf("tty %d%d%d %dx%d TERM=%s leader %d foreground %d %s\n", isatty(0), isatty(1), isatty(2), size.ws_col,
         size.ws_row, getenv("TERM"), leader, foreground, ttyname(0) ? "named" : "nameless");
  fprintf(stderr, "on stderr\n");
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, "fault") == 0) abort();
    sum += heard(line);
  }
  printf("end after %d\n", sum);
  return 7;
}
