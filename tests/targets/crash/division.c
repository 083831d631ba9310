/* An average of nothing: integer division by zero. */
#include <stdio.h>

struct samples {
  int count;
  int values[4];
};
__attribute__((noinline)) int average(const struct samples *samples) {
  int total = 0;
  for (int i = 0; i < samples->count; i++) total += samples->values[i];
  return total / samples->count;
}
int main(void) {
  struct samples some = {2, {4, 6}}, none = {0};
  printf("%d\n", average(&some));
  printf("%d\n", average(&none));
}
