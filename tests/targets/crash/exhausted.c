/* Opens files until it may open no more, takes the failure for a file, and dies; another thread waits. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void *wait_for_ever(void *ready) {
  pthread_setname_np(pthread_self(), "waiter");
  close(*(int *)ready);
  for (;;) pause();
}
__attribute__((noinline)) int first_letter(const char *name, const char *text) {
  (void)name;
  return text[3];
}
int main(void) {
  int ready[2];
  char nothing;
  pthread_t thread;
  if (pipe(ready) || pthread_create(&thread, NULL, wait_for_ever, &ready[1])) return 2;
  while (read(ready[0], &nothing, 1) != 0) continue;
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){200, 200});
  int opened = 0;
  while (open("/dev/zero", O_RDONLY) >= 0) opened++;
  const char *text = fopen("/etc/passwd", "r") ? "there" : NULL;
  return first_letter("/etc/passwd", text) + opened;
}
