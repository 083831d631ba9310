// Counts the SIGCONTs that it is sent, and tells their number when it is asked.
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t count;
static void note(int number) { count += number == SIGCONT; }
__attribute__((constructor)) static void begin(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  sigaction(SIGCONT, &action, NULL);
}
__attribute__((noinline)) int work(int step) { return step + count; }

int main(void) {
  char line[16];
  while (fgets(line, sizeof line, stdin)) printf("%d\n", work(0));
  return 0;
}
