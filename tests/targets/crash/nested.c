/* Reads through a null pointer below four calls of one function; after "handled" a handler ends it by abort. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct account {
  int id;
  long balance;
  double rate;
};
static volatile long zero;

__attribute__((noinline)) static long inner(struct account *who, long add, double by) {
  long sum = who->balance + add;
  if (by > 2) sum += *(volatile int *)zero;
  return sum + who->id;
}

__attribute__((noinline)) static long middle(int depth, struct account *who) {
  char local[8];
  strcpy(local, "near");
  long got = depth ? middle(depth - 1, who) : inner(who, depth + 5, 2.5);
  return got + local[0] + who->id;
}

static void on_fault(int number) {
  (void)number;
  abort();
}

int main(void) {
  struct account own = {7, 1000, 0.5};
  char line[16];
  if (!fgets(line, sizeof line, stdin)) return 2;
  if (line[0] == 'h') signal(SIGSEGV, on_fault);
  printf("%ld\n", middle(3, &own));
  return 0;
}
