// Takes something away from itself, then works on. Argument: what.
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

__attribute__((noinline)) int work(int step) { volatile int x = step; for (int i = 0; i < 3; i++) x += i; return x - 2; }

static void *other(void *given) {
  for (int step = 0; step < 1000; step++) *(int *)given += work(step) - step;
  return NULL;
}

static void limit(int what, rlim_t to) {
  struct rlimit both = {to, to};
  if (setrlimit(what, &both) < 0) printf("setrlimit: %s\n", strerror(errno));
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int sum = work(0);
  if (strcmp(what, "dumpable") == 0) prctl(PR_SET_DUMPABLE, 0);
  else if (strcmp(what, "name") == 0) prctl(PR_SET_NAME, "new name"), memset(argv[0], 'x', strlen(argv[0]));
  else if (strcmp(what, "setuid") == 0) { if (setgroups(0, NULL) || setgid(65534) || setuid(65534)) puts("not root"); }
  else if (strcmp(what, "chroot") == 0) { if (chroot("/var/empty") && chroot("/var/tmp")) puts("not root"); else if (chdir("/")) puts("?"); }
  else if (strcmp(what, "as") == 0) limit(RLIMIT_AS, 200u << 20);
  else if (strcmp(what, "nofile") == 0) limit(RLIMIT_NOFILE, 5);
  else if (strcmp(what, "nproc") == 0) limit(RLIMIT_NPROC, 0);
  else if (strcmp(what, "fsize") == 0) limit(RLIMIT_FSIZE, 4096);
  else if (strcmp(what, "core") == 0) limit(RLIMIT_CORE, 0);
  else if (strcmp(what, "stack") == 0) limit(RLIMIT_STACK, 128 << 10);
  else if (strcmp(what, "cpu") == 0) limit(RLIMIT_CPU, 1);
  void *block = malloc(64 << 20);
  printf("uid %d, 64 MB %s\n", (int)getuid(), block ? "there" : "refused");
  FILE *one = fopen("/dev/null", "r"), *two = fopen("/dev/null", "r"), *three = fopen("/dev/null", "r");
  printf("files %d %d %d\n", one != NULL, two != NULL, three != NULL);
  pthread_t thread;
  int failed = pthread_create(&thread, NULL, other, &sum);
  if (!failed) pthread_join(thread, NULL);
  printf("thread %s\n", failed ? strerror(failed) : "ran");
  for (int step = 0; step < 1000; step++) sum += work(step) - step;
  if (strcmp(what, "cpu") == 0) for (volatile unsigned long spin = 0;; spin++) if (work(1) == 0) break;
  printf("sum %d\n", sum);
  return 11;
}
