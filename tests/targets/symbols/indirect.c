// A function that is chosen when the program starts (IFUNC), among two.
#include <stdio.h>

static int addSlowly(int a, int b)
{
  int sum = a;
  for (int i = 0; i < b; i++) sum++;
  return sum;
}

static int addAtOnce(int a, int b) { return a + b; }

typedef int (*Adder)(int, int);
static Adder chooseAdder(void)
{
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse2") ? addAtOnce : addSlowly;
}

int add(int a, int b) __attribute__((ifunc("chooseAdder")));

int main(void)
{
  printf("%d\n", add(2, 40));
  return 0;
}
