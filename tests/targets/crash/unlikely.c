/* Optimised, the branch that is taken seldom lies apart from its function (.cold): the null pointer is written there. */
#include <stdio.h>
#include <stdlib.h>

struct account {
  long balance;
  long *limit;
};
__attribute__((noinline)) long withdraw(struct account *account, long amount) {
  if (__builtin_expect(account->balance < amount, 0)) {
    fprintf(stderr, "balance %ld is below %ld\n", account->balance, amount);
    *account->limit = amount;
    abort();
  }
  return account->balance -= amount;
}
int main(int count, char **arguments) {
  struct account account = {count * 10, 0};
  long left = account.balance;
  for (int i = 1; i < 20; i++) left += withdraw(&account, i);
  printf("%ld %s\n", left, arguments[0]);
}
