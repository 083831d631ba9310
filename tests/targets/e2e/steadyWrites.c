// Writes to a global, with no more than moments in between, until it is told to stop.
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

long rounds;

int main(void) {
  struct pollfd told = {.fd = STDIN_FILENO, .events = POLLIN};
  printf("writing\n");
  fflush(stdout);
  while (poll(&told, 1, 0) == 0) {
    rounds++;
    usleep(50);
  }
  return 0;
}
