/* Fills cups in rounds and reads nothing, for editors that launch it. */
#include <stdio.h>

struct cup {
  int size;
  double price;
};

static __attribute__((noinline)) int filled(const struct cup *cup, int round) {
  int sum = cup->size * round;
  return sum + 1;
}

int main(void) {
  struct cup cup = {3, 2.5};
  int total = 0;
  for (int round = 1; round <= 3; round++) {
    int more = filled(&cup, round);
    total += more;
  }
  printf("total %d\n", total);
  return 0;
}
