// Many calls as fast as it goes: `flood N [text|nested]`; prints a sum that tracing must not change.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) unsigned mix(unsigned value, unsigned round) {
  return value * 2654435761u + (round ^ (value >> 7));
}

__attribute__((noinline)) unsigned text(const char *words, unsigned round) {
  return (unsigned char)words[round % 40] * 2654435761u + round;
}

__attribute__((noinline)) unsigned inner(unsigned value) {
  return value * 2654435761u + 1;
}

__attribute__((noinline)) unsigned outer(unsigned value) {
  return inner(value) ^ 1;
}

int main(int argc, char **argv) {
  const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  const int is_text = argc > 2 && strcmp(argv[2], "text") == 0, is_nested = argc > 2 && !is_text;
  unsigned value = is_nested ? inner(1) : 1;
  for (unsigned long round = 0; round < rounds; round++)
    value = is_text     ? value ^ text("forty bytes of text, as a log line holds", (unsigned)round)
            : is_nested ? outer(value)
                        : mix(value, (unsigned)round);
  printf("%u\n", value);
  return 0;
}
