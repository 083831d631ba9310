// Two children leave a call by the end of their process and by another program; then it waits for a line.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void leave(int status) { _exit(status); }
__attribute__((noinline)) void become(char *path) { execl(path, path, (char *)NULL); }
__attribute__((noinline)) int waits(void) { return getchar(); }

int main(void) {
  if (fork() == 0) leave(0);
  wait(NULL);
  if (fork() == 0) become("/bin/true");
  wait(NULL);
  puts("waiting");
  fflush(stdout);
  waits();
  return 0;
}
