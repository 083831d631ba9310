/* Rounds that take about a millisecond each, for ever. */
#include <unistd.h>

static volatile long sink;

static long part(long number, long factor) {
  if (number < 0)
    return 0; /* never */
  long sum = number;
  long product = sum * factor; /* here */
  sum += product;
  sum ^= number;
  product -= sum;
  sum += factor;
  return sum + product;
}

int main(void) {
  for (long i = 0;; i++) {
    sink += part(i, 3);
    usleep(1000);
  }
}
