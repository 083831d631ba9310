/* For each line of its input it visits four nodes, of which every second one is not there. */
#include <stdio.h>

struct node {
  int key;
};

static volatile int sink;

__attribute__((noinline)) static void visit(const struct node *one, int index) {
  (void)one;
  sink += index; /* here */
}

int main(void) {
  const struct node there = {5};
  char line[16];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    for (int index = 0; index < 4; index++) visit(index % 2 ? &there : NULL, index);
    puts("visited");
    fflush(stdout);
  }
  return 0;
}
