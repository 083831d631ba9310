/* Statements with locals of every kind, for logpoints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  const char *name;
  int cents;
  struct item *next;
};

static long total;

static __attribute__((noinline)) int price(struct item *item, int count) {
  int sum = 0;
  const int limit = 1000;
  for (int i = 0; i < count; i++) {
    int each = item->cents + i;
    sum += each;
    if (sum > limit) {
      sum -= 10; /* a discount */
    }
  }
  total += sum;
  return sum;
}

static inline int twice(int value) {
  volatile int doubled = value * 2;
  return doubled + (int)total;
}

int main(int count, char **arguments) {
  struct item tea = {"tea", 250, 0}, cup = {"cup", 700, &tea};
  int rounds = count > 1 ? atoi(arguments[1]) : 3;
  double weight = 0.5;
  for (int round = 0; round < rounds; round++) {
    struct item *item = round % 2 ? &tea : &cup;
    char label[32];
    snprintf(label, sizeof label, "%s %d", item->name, round);
    weight += price(item, round % 4);
    printf("%s: %d %.1f\n", label, twice(round), weight);
  }
  return 0;
}
