// Decides by memory that was never written.
#include <stdio.h>
#include <stdlib.h>
struct account {
  int id, limit;
};
__attribute__((noinline)) struct account *opened(int id) {
  struct account *account = malloc(sizeof *account);
  account->id = id;
  return account;
}
__attribute__((noinline)) int covers(const struct account *account, int amount) {
  if (amount <= account->limit) return 1;
  return 0;
}
int main(void) {
  struct account *account = opened(7);
  printf("%d\n", covers(account, 20));
  free(account);
}
