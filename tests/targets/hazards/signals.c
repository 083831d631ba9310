/* A storm of signals whose handlers call the functions they interrupt, on their own stack too, under deep recursion. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

NOINLINE long mix(long a, long b, double c) { KEEP; return a * 31 + b + (long)c; }
NOINLINE long deep(int level) {
  if (level == 0) return 1;
  long below = deep(level - 1);
  KEEP;
  return below + mix(level, 1, 0.5) % 7;
}
static volatile sig_atomic_t caught[3], nested;
static void on_signal(int number) {
  int which = number == SIGUSR1 ? 0 : number == SIGUSR2 ? 1 : 2;
  /* Handlers interrupt each other. */
  __atomic_fetch_add(&nested, mix(number, 2, 1.5) == number * 31 + 3, __ATOMIC_RELAXED);
  __atomic_fetch_add(&caught[which], 1, __ATOMIC_RELAXED);
}
static pthread_t target;
static volatile int stop;
static void *storm(void *unused) {
  (void)unused;
  const int numbers[] = {SIGUSR1, SIGUSR2, SIGHUP};
  for (int i = 0; !stop; i++) {
    pthread_kill(target, numbers[i % 3]);
    usleep(20);
  }
  return NULL;
}

int main(void) {
  static char other[65536];
  stack_t own = {.ss_sp = other, .ss_size = sizeof other};
  sigaltstack(&own, NULL);
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGUSR2, &action, NULL);
  action.sa_flags = SA_NODEFER;
  sigaction(SIGHUP, &action, NULL);
  target = pthread_self();
  pthread_t thread;
  pthread_create(&thread, NULL, storm, NULL);
  long total = 0;
  int wrong = 0;
  long expected = deep(10000);
  while (caught[0] < 500 || caught[1] < 500 || caught[2] < 500) {
    for (int i = 0; i < 20; i++) wrong += mix(i, 7, 2.0) != i * 31 + 9;
    wrong += deep(300) != deep(300);
  }
  for (int i = 0; i < 5; i++) total += deep(10000) == expected;
  stop = 1;
  pthread_join(thread, NULL);
  printf("%ld %d %ld %d\n", expected, wrong, total, nested == caught[0] + caught[1] + caught[2]);
  return 4;
}
