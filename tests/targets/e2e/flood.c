// Many calls as fast as it goes: `flood N`; prints a sum that tracing must not change.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned mix(unsigned value, unsigned round) {
  return value * 2654435761u + (round ^ (value >> 7));
}

int main(int argc, char **argv) {
  const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  unsigned value = 1;
  for (unsigned long round = 0; round < rounds; round++) value = mix(value, (unsigned)round);
  printf("%u\n", value);
  return 0;
}
