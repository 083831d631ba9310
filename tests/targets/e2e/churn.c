// Writes to a place of its thread, once for each line it reads, while threads come and go.
#include <pthread.h>
#include <stdio.h>

static __thread long own;

static void *ends(void *none) { return none; }

static void *churns(void *none) {
  for (;;) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, ends, none) == 0) pthread_join(thread, NULL);
  }
  return none;
}

int main(void) {
  pthread_t thread;
  char line[16];
  long written = 0;
  pthread_create(&thread, NULL, churns, NULL);
  printf("%p\n", (void *)&own);
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) own = ++written;
  return 0;
}
