#include <stdio.h>

struct queue { char name[16]; long limit; struct queue *next; };
struct registry { int count; struct queue *first; };

static struct queue last = {"last", 3, NULL};
static struct queue first = {"first", 7, &last};
struct registry registry = {2, &first};

long limit_of(int place) {
  if (place == 1) return registry.first->limit;
  if (place == 2) return registry.first->next->limit;
  return registry.first->next->next->limit;
}

int main(void) {
  for (int place = 1; place <= registry.count + 1; place++) {
    printf("%d: %ld\n", place, limit_of(place));
    fflush(stdout);
  }
}
