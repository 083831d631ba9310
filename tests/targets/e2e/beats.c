/* A parent and its forked child that both call one function for ever and check it; the child counts in the file argv[1]. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline, noclone)) long beat(long a) {
  __asm__ volatile("");
  return a * 3 + 1;
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  pid_t parent = getpid(), child = fork();
  int file = child == 0 ? open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  for (long i = 0;; i++) {
    if (beat(i) != i * 3 + 1) abort();
    usleep(1000);
    if (child != 0) continue;
    if (getppid() != parent) return 3;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", i);
    if (pwrite(file, text, (size_t)length, 0) != length) return 4;
    if (i == 20) {
      puts("beating");
      fflush(stdout);
    }
  }
}
