/* Runs small programs in interpreters whose instructions are code that is jumped to, and calls code that takes and leaves
 * values as C does not. */
#include <stdio.h>

long interpret(const unsigned char *program, long value);
long interpret_within(const unsigned char *program, long value);
long call_popping(long a, long b);
long plain(long a);

int main(void) {
  static const unsigned char program[] = {0, 1, 0, 0, 1, 2};
  long sum = 0;
  for (long i = 0; i < 50; i++) {
    sum += interpret(program, i) + interpret_within(program, i);
    sum += call_popping(i, 3) + plain(i);
  }
  printf("%ld\n", sum);
  return 0;
}
