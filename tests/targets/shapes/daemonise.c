// A classic daemon: forks twice, leaves session and folder, closes its streams; the daemon works on in a file.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) int work(FILE *out, int step) {
  fprintf(out, "step %d\n", step);
  fflush(out);
  return step;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  work(stdout, 1);
  if (fork() > 0) return 3;
  setsid();
  if (fork() > 0) _exit(4);
  umask(0);
  if (chdir("/") < 0) _exit(9);
  for (int fd = 0; fd < 1024; fd++) close(fd);
  open("/dev/null", O_RDWR);
  if (dup(0) != 1 || dup(0) != 2) _exit(9);
  FILE *out = fopen(argv[1], "w");
  int sum = 0;
  for (int step = 0; step < 20; step++, usleep(5000)) sum += work(out, step);
  fprintf(out, "sum %d\n", sum);
  fclose(out);
  _exit(sum == 190 ? 6 : 99);
}
