/* Lines with calls that are inlined, also without optimisation. */
#include <stdio.h>

#define INLINED static inline __attribute__((always_inline)) int

INLINED twice(int number) {
  return number * 2;
}

INLINED more(int number) {
  int sum = number + 1;
  if (sum > 3)
    sum += twice(sum);
  return sum;
}

static __attribute__((noipa)) int work(int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += twice(i);
  sum = more(sum) + more(count);
  sum += twice(1);
  sum += twice(2);
  return sum;
}

int main(void) {
  printf("%d\n", work(3));
  return 0;
}
