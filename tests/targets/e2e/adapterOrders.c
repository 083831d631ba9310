/* Reads a number of calls a line; a second thread stands in a call of the system. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct order {
  int id;
  double total;
  const char *name;
  int items[3];
  const char *password;
  struct order *next;
};

static volatile sig_atomic_t signals;

static void on_signal(int number) {
  (void)number;
  signals++;
}

static int price(struct order *o, int item) {
  int factor = 2;
  int sum = item * factor + o->id;
  o->total += sum; /* add */
  return sum;
}

static void *idle(void *unused) {
  for (;;)
    pause();
  return unused;
}

int main(void) {
  struct order o = {1, 12.5, "tea", {1, 2, 3}, "hunter2", NULL};
  pthread_t thread;
  pthread_create(&thread, NULL, idle, NULL);
  signal(SIGUSR1, on_signal);
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  char line[100];
  int total = 0;
  while (fgets(line, sizeof line, stdin)) {
    for (int i = 0; i < atoi(line); i++)
      total += price(&o, i);
    raise(SIGUSR1);
    printf("done %d, signals %d\n", total, (int)signals); /* after */
  }
  return 3;
}
