/* Groups of threads that call one function at the same time; a line says how many threads. */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#define NOINLINE __attribute__((noinline, noclone))

static pthread_barrier_t together;
NOINLINE int visit(int a) {
  volatile int kept = a;
  return kept + 1;
}
static void *visitor(void *argument) {
  char name[16];
  snprintf(name, sizeof name, "visitor %d", *(int *)argument);
  prctl(PR_SET_NAME, name);
  visit(*(int *)argument);
  pthread_barrier_wait(&together); /* all hold their slots at once */
  visit(*(int *)argument);
  return NULL;
}
static void group(int first, int count) {
  pthread_t threads[8];
  int numbers[8];
  pthread_barrier_init(&together, NULL, count);
  for (int i = 0; i < count; i++) {
    numbers[i] = first + i;
    pthread_create(&threads[i], NULL, visitor, &numbers[i]);
  }
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  printf("group %d\n", first);
}

int main(void) {
  char line[16];
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  for (int first = 0; fgets(line, sizeof line, stdin); first += 10) group(first, line[0] - '0');
  return 0;
}
