// A call through a table of functions at a place that was never filled.
#include <cstdio>

using Command = int (*)(int);
static int twice(int value) { return 2 * value; }
static Command commands[4] = {twice};
__attribute__((noinline)) int run(int number, int value) { return commands[number](value) + 1; }
int main() {
  printf("%d\n", run(0, 21));
  printf("%d\n", run(2, 21));
}
