// A program that is only a shell around its library.
#include <stdlib.h>

int leafWork(int number);

int main(int count, char **words) { return leafWork(count > 1 ? atoi(words[1]) : 0) - 1; }
