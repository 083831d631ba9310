// The program at the end of every way to start one: prints and returns what it was given.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int leafWork(int number)
{
  printf("leaf %d\n", number);
  return number + 1;
}

int main(int count, char **words)
{
  int number = count > 1 ? atoi(words[1]) : 0;
  return leafWork(number) - 1;
}
