/* Shows calls after a silence: an entry, an end, a new thread, a child. Does what each line of its input says. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char line[64];

__attribute__((noinline)) int step(int value) {
  static volatile int sum;
  for (int i = 0; i < value; i++) sum += i;
  return sum + value;
}

/* Ends when the next line comes. */
__attribute__((noinline)) int waits(void) {
  return fgets(line, sizeof line, stdin) != NULL;
}

static void *walk(void *unused) {
  step(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (!strcmp(line, "step\n")) step(1);
    if (!strcmp(line, "wait\n")) waits();
    if (!strcmp(line, "thread\n")) pthread_create(&thread, NULL, walk, NULL), pthread_join(thread, NULL);
    if (!strcmp(line, "fork\n")) {
      if (fork() == 0) _exit(step(1));
      wait(NULL);
    }
    puts("done");
    fflush(stdout);
  }
  return 0;
}
