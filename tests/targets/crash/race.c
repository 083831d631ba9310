// Two threads add to a balance without a lock, one well after the other: nothing says that it is so.
#include <pthread.h>
#include <unistd.h>
static long balance;
__attribute__((noinline)) static void deposit(long amount) { balance += amount; }
static void *pay(void *argument) {
  usleep((long)argument * 200000);
  deposit((long)argument + 1);
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, pay, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return balance != 3;
}
