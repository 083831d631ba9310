// Functions whose result nobody uses, or only some do; each prints what it gave.
#include <stdio.h>

#define OWN __attribute__((noinline))

static OWN int unused(int x) { printf("unused %d\n", x * 2); return x * 2; }
static OWN int used(int x) { printf("used %d\n", x * 3); return x * 3; }
static OWN int partly(int x, int y) { printf("partly %d\n", x * 4); return x * 4; }
/** The same whenever it is called: whoever calls it knows. */
static OWN int always(int x) { printf("always %d\n", x > 0 ? 7 : 7); return 7; }
static OWN long pointed(const int *x) { printf("pointed %d\n", *x + 1); return *x + 1; }
OWN int visible(int x) { printf("visible %d\n", x * 5); return x * 5; }

int main(int count, char **words) {
  (void)words;
  unused(count + 3);
  partly(count, count);
  visible(count);
  int n = count + 9;
  pointed(&n);
  return used(count) + always(count) - 10;
}
