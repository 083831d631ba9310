// Uses the shared library geometry.
#include <stdio.h>
double geometry_area(double width, double height);
int geometry_sides(int kind);

int main(void) {
  printf("%.1f %d\n", geometry_area(2.5, 4), geometry_sides(1));
  return 0;
}
