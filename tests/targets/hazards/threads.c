/* Threads that end in every way: pthread_exit with cleanup, cancellation, in destructors; and thousands of them. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

static pthread_key_t key;
static int cleaned, destroyed;
NOINLINE int count(int *where) { KEEP; return __atomic_add_fetch(where, 1, __ATOMIC_SEQ_CST); }
static void cleanup(void *where) { count(where); }
static void destroy(void *value) { (void)value; count(&destroyed); }

NOINLINE void leave(int level) {
  pthread_cleanup_push(cleanup, &cleaned);
  if (level == 0) pthread_exit((void *)9);
  leave(level - 1);
  KEEP;
  pthread_cleanup_pop(0);
}
static void *exits(void *level) {
  pthread_setspecific(key, &key);
  leave((int)(long)level);
  return NULL;
}
static volatile int ready;
NOINLINE void wait_for_ever(int level) {
  pthread_cleanup_push(cleanup, &cleaned);
  if (level == 0) {
    ready = 1;
    pause();
  }
  wait_for_ever(level - 1);
  KEEP;
  pthread_cleanup_pop(0);
}
static void *waits(void *level) {
  wait_for_ever((int)(long)level);
  return NULL;
}
NOINLINE unsigned spin(unsigned a) { KEEP; return a * 5 + 1; }
static void *spins(void *unused) {
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  ready = 1;
  for (unsigned a = 1;;) a = spin(a);
}
NOINLINE long visit(long a) { KEEP; return a + 1; }
static void *visits(void *a) { return (void *)visit((long)a); }

static int cancel(void *(*start)(void *), long argument) {
  pthread_t thread;
  void *result;
  ready = 0;
  pthread_create(&thread, NULL, start, (void *)argument);
  while (!ready) sched_yield();
  pthread_cancel(thread);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED;
}

int main(int arguments, char **argument) {
  long total = 0, wanted = arguments > 1 ? atol(argument[1]) : 2000;
  pthread_key_create(&key, destroy);
  for (long i = 0; i < 50; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, exits, (void *)(i % 20));
    pthread_join(thread, &result);
    total += (long)result;
  }
  printf("%ld %d %d\n", total, cleaned, destroyed);
  for (long i = 0; i < 20; i++) total += cancel(waits, i);
  for (long i = 0; i < 3; i++) total += cancel(spins, 0);
  printf("%ld %d\n", total, cleaned);
  for (long i = 0; i < wanted; i += 20) {
    pthread_t threads[20];
    for (long k = 0; k < 20; k++) pthread_create(&threads[k], NULL, visits, (void *)(i + k));
    for (long k = 0; k < 20; k++) {
      void *result;
      pthread_join(threads[k], &result);
      total += (long)result;
    }
  }
  printf("%ld\n", total);
  pthread_exit(NULL);
}
