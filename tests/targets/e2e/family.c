// A parent with a child and a grandchild that ignore SIGTERM; each prints its pid and waits.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void settle_down(const char *who) {
  signal(SIGTERM, SIG_IGN);
  printf("%s %d\n", who, (int)getpid());
  fflush(stdout);
  for (;;) pause();
}

int main(void) {
  if (fork() == 0) {
    if (fork() == 0) settle_down("grandchild");
    settle_down("child");
  }
  settle_down("parent");
  return 0;
}
