#include <stdlib.h>

static int area(int width, int height) {
  int found = width * height;
  return found;
}

int main(int argc, char **argv) {
  return argc == 3 && area(atoi(argv[1]), atoi(argv[2])) > 0 ? 0 : 1;
}
