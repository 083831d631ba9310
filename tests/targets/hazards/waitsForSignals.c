/* Its only thread blocks signals, is sent one of them, waits for it, and blocks them no longer: time
 * after time. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) int took(int number) { return number; }

int main(void) {
  struct pollfd told = {.fd = STDIN_FILENO, .events = POLLIN};
  const int numbers[] = {SIGTERM, SIGABRT, SIGUSR1, SIGRTMIN};
  const int count = sizeof numbers / sizeof *numbers;
  sigset_t set;
  int number = 0;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, numbers[i]);
  puts("waiting");
  fflush(stdout);
  for (int turn = 0; poll(&told, 1, 0) == 0; turn++) {
    sigprocmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), numbers[turn % count]);
    sigwait(&set, &number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    took(number);
    usleep(200);
  }
  return 7;
}
