/* Structures, floats and a thread, for whichever C library it is linked with. */
#include <pthread.h>
#include <stdio.h>

struct plot {
  int x, y;
  const char *name;
};

__attribute__((noinline)) int area(const struct plot *plot, double by) {
  return (int)(plot->x * plot->y * by);
}

static void *run(void *unused) {
  struct plot plot = {3, 4, "thread"};
  area(&plot, 2);
  return unused;
}

int main(void) {
  struct plot plot = {1, 2, "main"};
  pthread_t own;
  printf("%d\n", area(&plot, 1.5));
  pthread_create(&own, 0, run, 0);
  pthread_join(own, 0);
  return 4;
}
