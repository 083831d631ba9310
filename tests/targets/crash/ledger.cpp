// A null member two calls deep: the order of a customer that was never set. Its balance is read.
#include <cstdio>
#include <string>
#include <vector>

struct Account {
  long id;
  long limit;
  long balance;
};
struct Customer {
  std::string name;
  Account *account = nullptr;
};
struct Order {
  int number;
  double amount;
  Customer *customer;
};

__attribute__((noinline)) bool covers(const Order &order) {
  const Customer *customer = order.customer;
  return customer->account->balance >= order.amount;
}
__attribute__((noinline)) int settle(const std::vector<Order> &orders) {
  int settled = 0;
  for (const Order &order : orders) settled += covers(order);
  return settled;
}
int main() {
  Account rich{1, 500, 900};
  Customer ann{"ann", &rich}, bob{"bob"};
  std::vector<Order> orders{{1, 20.5, &ann}, {2, 99.0, &ann}, {3, 10.0, &bob}};
  printf("settling %zu orders\n", orders.size());
  fflush(stdout);
  printf("%d\n", settle(orders));
}
