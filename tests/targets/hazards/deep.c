/* Recurses over most of its stack, in the main thread and in a forked child, and says what its limit is, and that of what
 * it executes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static long down(long levels) {
  if (levels == 0) return 0;
  long below = down(levels - 1);
  __asm__ volatile("" : : "r"(below));
  return below + 1;
}

static void recurse(const char *who, unsigned long bytes) {
  /* A level takes 48 bytes at -O0 and less otherwise. */
  printf("%s %ld\n", who, down((long)(bytes / 48)));
  fflush(stdout);
}

int main(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  printf("limit %lu\n", (unsigned long)limit.rlim_cur);
  fflush(stdout);
  recurse("main", limit.rlim_cur / 10 * 7);
  if (fork() == 0) {
    recurse("child", limit.rlim_cur / 10 * 8);
    execlp("sh", "sh", "-c", "ulimit -s", NULL);
  }
  wait(NULL);
  limit.rlim_cur = limit.rlim_cur / 2;
  setrlimit(RLIMIT_STACK, &limit);
  getrlimit(RLIMIT_STACK, &limit);
  printf("half %lu\n", (unsigned long)limit.rlim_cur);
  fflush(stdout);
  return system("ulimit -s; exec sh -c 'ulimit -Ss'") != 0;
}
