/* Gets stuck in the way its argument names: "two" or "three" threads that take locks in a circle, a "signal" that
 * came before anybody waited for it, a "read" that nobody answers, a "spin" on a flag that is never set,
 * two "polite" threads that let each other go first for ever. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_hold_one;
static volatile int is_set;
static int count;

__attribute__((noinline)) void take_next(long own) {
  pthread_mutex_lock(&locks[(own + 1) % count]);
  puts("never");
}
static void *take(void *number) {
  pthread_mutex_lock(&locks[(long)number]);
  pthread_barrier_wait(&all_hold_one);
  take_next((long)number);
  return NULL;
}
__attribute__((noinline)) void await_signal(void) {
  pthread_mutex_lock(&lock);
  pthread_cond_wait(&ready, &lock);
}
__attribute__((noinline)) void spin(void) {
  while (!is_set) continue;
}
static volatile int wants[2];
static unsigned arrived;
static void meet(unsigned round) {
  __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2 * round) continue;
}
__attribute__((noinline)) void give_way(long side) {
  for (unsigned round = 1;;) {
    wants[side] = 1;
    meet(round++);
    int other = wants[1 - side];
    meet(round++);
    if (!other) return;
    wants[side] = 0;
    meet(round++);
  }
}
static void *hinder(void *side) {
  give_way((long)side);
  return NULL;
}
int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "read";
  pthread_t thread;
  char line[16];
  puts("begun");
  fflush(stdout);
  count = !strcmp(way, "two") ? 2 : !strcmp(way, "three") ? 3 : 0;
  if (count > 0) pthread_barrier_init(&all_hold_one, NULL, (unsigned)count);
  for (long i = 0; i < count; i++) pthread_create(&thread, NULL, take, (void *)i);
  if (count > 0) pthread_join(thread, NULL);
  pthread_cond_signal(&ready);
  if (!strcmp(way, "signal")) await_signal();
  if (!strcmp(way, "spin")) spin();
  for (long side = 0; !strcmp(way, "polite") && side < 2; side++) pthread_create(&thread, NULL, hinder, (void *)side);
  return read(0, line, sizeof line) < 0;
}
