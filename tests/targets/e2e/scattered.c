// Processes that left their parent's session, group or tree; each prints its pid, and one is stopped.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void wait_here(const char *who) {
  char line[64];
  int bytes = snprintf(line, sizeof line, "%s %d\n", who, (int)getpid());
  if (write(1, line, (size_t)bytes) != bytes) _exit(1);
  for (;;) pause();
}

int main(void) {
  if (fork() == 0) {
    setsid();
    wait_here("session");
  }
  if (fork() == 0) {
    setpgid(0, 0);
    wait_here("group");
  }
  if (fork() == 0) {
    setsid();
    if (fork() == 0) wait_here("daemon");
    _exit(0);
  }
  if (fork() == 0) {
    setpgid(0, 0);
    raise(SIGSTOP);
    wait_here("stopped");
  }
  wait_here("parent");
  return 0;
}
