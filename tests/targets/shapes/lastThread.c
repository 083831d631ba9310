// The main thread ends by pthread_exit; the process ends with its last thread.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) int work(int step) { volatile int x = step; for (int i = 0; i < 3; i++) x += i; return x - 2; }

static void *other(void *unused) {
  int sum = 0;
  usleep(100000);
  for (int step = 0; step < 1000; step++) sum += work(step) - step;
  printf("sum %d\n", sum);
  return unused;
}

int main(void) {
  pthread_t thread;
  work(1);
  pthread_create(&thread, NULL, other, NULL);
  pthread_detach(thread);
  pthread_exit(NULL);
}
