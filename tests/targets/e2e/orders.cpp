// Handles numbered orders on one thread; another rebate or another failing order shows as a first difference between two runs.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define OWN __attribute__((noinline))

namespace orders {
OWN int price(int order) { return 100 + order % 7; }
OWN int rebate(int order, int percent) { return price(order) * percent / 100; }
OWN void store(int order, int amount) {
  if (amount < 0) throw std::runtime_error("negative amount");
  static volatile int total;
  total = total + amount + order;
}
OWN void refuse(int order) { std::printf("order %d refused\n", order); }
OWN void handle(int order, int percent, int failing) {
  try {
    store(order, order == failing ? -1 : price(order) - rebate(order, percent));
  } catch (const std::runtime_error &) {
    refuse(order);
  }
}
}  // namespace orders

int main(int argc, char **argv) {
  const int percent = argc > 1 ? std::atoi(argv[1]) : 10;
  const int failing = argc > 2 ? std::atoi(argv[2]) : -1;
  for (int order = 0; order < 300; order++) orders::handle(order, order < 50 ? 10 : percent, failing);
  return 0;
}
