/* The program's own handler of a fault reports it and aborts: what was wrong is what the handler interrupted. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct order {
  int id;
  struct order *next;
};
static void report(int signal) {
  if (write(2, "fatal\n", 6) == 6) abort();
  (void)signal;
}
__attribute__((noinline)) int last_id(struct order *order, int wanted) {
  while (order->id != wanted) order = order->next;
  return order->id;
}
int main(void) {
  signal(SIGSEGV, report);
  struct order second = {2, 0}, first = {1, &second};
  return last_id(&first, 3);
}
