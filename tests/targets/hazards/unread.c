/* Calls functions with loops back into their first bytes, which a look at the function alone does not see. */
#include <stdio.h>

int over_data(int n);
int through_cold(int n);
int entered_behind(int n);
int enters(int n);
int plain(int n);

int main(void) {
  int sums[5] = {0};
  for (int i = 1; i < 50; i++) {
    sums[0] += over_data(i);
    sums[1] += through_cold(i);
    sums[2] += entered_behind(i);
    sums[3] += enters(i);
    sums[4] += plain(i);
  }
  printf("%d %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3], sums[4]);
  return 0;
}
