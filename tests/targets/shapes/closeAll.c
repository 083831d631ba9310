// Closes every descriptor but its streams, as daemons do, opens files of its own and checks what they hold.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) int work(int file, int step) {
  char line[32];
  int bytes = snprintf(line, sizeof line, "line %d\n", step);
  return write(file, line, (size_t)bytes) == bytes ? step : -1000;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "loop";
  if (strcmp(how, "range") == 0) syscall(SYS_close_range, 3u, ~0u, 0u);
  else if (strcmp(how, "closefrom") == 0) closefrom(3);
  else if (strcmp(how, "syscall") == 0) for (int fd = 3; fd < 1024; fd++) syscall(SYS_close, fd);
  else for (int fd = 3; fd < 1024; fd++) close(fd);
  int files[8], sum = 0;
  for (int i = 0; i < 8; i++) files[i] = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  for (int step = 0; step < 200; step++) {
    sum += work(files[step % 8], step);
    usleep(1000);
  }
  size_t bytes = 0;
  for (int i = 0; i < 8; i++) bytes += (size_t)lseek(files[i], 0, SEEK_END);
  printf("first %d, sum %d, %zu bytes\n", files[0], sum, bytes);
  return sum == 19900 ? 5 : 99;
}
