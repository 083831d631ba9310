// Becomes a daemon as servers do: forks twice in a session of its own, says so, and works on after main has ended.
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int beat(int n) {
  for (volatile int i = 0; i < 3; i++) n += i;
  return n;
}

int main(void) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  printf("daemon %d\n", (int)getpid());
  fflush(stdout);
  for (int i = 0;; i++) {
    beat(i);
    usleep(10000);
  }
}
