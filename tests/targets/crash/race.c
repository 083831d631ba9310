// Two threads add to a balance without a lock.
#include <pthread.h>
#include <stdio.h>
static long balance;
__attribute__((noinline)) static void deposit(long amount) { balance += amount; }
static void *pay(void *argument) {
  for (int i = 0; i < 1000; i++) deposit((long)argument);
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, pay, (void *)(i + 1));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%ld\n", balance);
}
