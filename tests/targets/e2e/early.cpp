// Works before main: stops of a launch must be there by then.
#include <cstdio>

static int value;

struct Early {
  Early() {
    value = 6 * 7;
  }
};

static Early early;

int main() {
  puts("main");
  return value;
}
