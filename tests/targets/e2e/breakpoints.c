/* Runs rounds of a small shop for each line that it reads, for breakpoints inside its functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct item {
  const char *name;
  int cents;
  struct item *next;
};

static long total;

static __attribute__((noinline)) int price(struct item *item, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) {
    int each = item->cents + i;
    sum += each;
    if (sum > 1000) {
      sum -= 10; /* a discount */
    }
  }
  total += sum;
  return sum;
}

static void shop(int rounds) {
  struct item tea = {"tea", 250, 0}, cup = {"cup", 700, &tea};
  double weight = 0.5;
  for (int round = 0; round < rounds; round++) {
    struct item *item = round % 2 ? &tea : &cup;
    int paid = price(item, round % 4);
    weight += paid / 1000.0; /* behind the price */
    printf("%s %d %.3f\n", item->name, paid, weight);
  }
}

int main(void) {
  char line[64];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "fork", 4) == 0) {
      fflush(stdout);
      if (fork() == 0) {
        shop(4);
        fflush(stdout);
        _exit(0);
      }
      wait(0);
    } else shop(atoi(line));
    puts("done");
    fflush(stdout);
  }
  printf("total %ld\n", total);
  return 0;
}
