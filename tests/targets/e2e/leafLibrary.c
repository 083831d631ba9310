// The library of leafUser.c, with the function that is traced.
#include <stdio.h>

__attribute__((noinline)) int leafWork(int number)
{
  printf("library %d\n", number);
  return number + 1;
}
