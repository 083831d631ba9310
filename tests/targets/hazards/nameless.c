// Calls functions beside which others lie that no symbol tells the extent of.
#include <stdio.h>

int brief(int), after(int), second(int), useHidden(int), padded(int), tight(int), behind(int);

int main(void) {
  long sum = 0;
  for (int i = 0; i < 100; i++) sum += brief(i) + 3L * after(i) + 5L * second(i) + 7L * useHidden(i) + 11L * padded(i) + 13L * tight(i) + 17L * behind(i);
  printf("%ld\n", sum);
  return 0;
}
