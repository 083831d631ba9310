/* An array longer than what a stop shows, in a function with an inlined call. */
#include <stdio.h>

static inline __attribute__((always_inline)) int twice(int number) {
  int doubled = number * 2;
  return doubled;
}

static __attribute__((noipa)) int sum(const int *numbers, int count) {
  int total = 0;
  for (int i = 0; i < count; i++)
    total += numbers[i];
  return total + twice(count);
}

int main(void) {
  int numbers[1000];
  for (int i = 0; i < 1000; i++)
    numbers[i] = i * 5;
  printf("%d\n", sum(numbers, 1000));
  return 0;
}
