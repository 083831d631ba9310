// Prints the low descriptors that are open, and the numbers of those it opens itself.
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>

__attribute__((noinline)) int leafWork(int number)
{
  printf("leaf %d\n", number);
  return number + 1;
}

int main(void) {
  printf("open");
  for (int number = 0; number < 20; number++)
    if (fcntl(number, F_GETFD) >= 0) printf(" %d", number);
  printf("\nopened");
  for (int i = 0; i < 24; i++) printf(" %d", open("/dev/null", O_RDONLY));
  int pair[2] = {-1, -1};
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  printf(" %d %d\n", pair[0], pair[1]);
  return leafWork(4);
}
