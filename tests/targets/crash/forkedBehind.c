/* A forked child opens a file and reads through a null pointer; its parent goes on. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int fall(const int *nothing) { return *nothing; }
int main(void) {
  fflush(stdout);
  if (fork() == 0) {
    if (open("/dev/zero", O_RDONLY) < 0) return 2;
    return fall(NULL);
  }
  int status = 0;
  wait(&status);
  printf("the child ended by signal %d\n", WTERMSIG(status));
}
