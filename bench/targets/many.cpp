// About a million calls on two threads, nested, with numbers, text, enums and exceptions; some output.
// `many CUSTOMERS [PACE]`: PACE customers a millisecond in each thread, 0: as many as it can.
#include <pthread.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#define OWN __attribute__((noinline))

namespace shop {
enum class Kind { fruit, bread, drink };
OWN double price(Kind kind, int amount) { return (kind == Kind::bread ? 2.5 : 1.25) * amount; }
OWN bool inStock(const char *item, int amount) { return item[0] != 'x' || amount < 3; }
OWN std::int64_t pay(std::int64_t cents, bool cash) {
  if (cents == 777'777) throw std::runtime_error("odd sum");
  return cash ? cents - cents % 5 : cents;
}
OWN std::int64_t buy(const char *item, Kind kind, int amount) {
  if (!inStock(item, amount)) return -1;
  return pay(static_cast<std::int64_t>(price(kind, amount) * 100), amount % 2 == 0);
}
OWN std::int64_t visit(int customer) {
  static const char *const items[] = {"apple", "rye bread", "tea", "xylophone", "pear"};
  std::int64_t spent = 0;
  for (int i = 0; i < 5; i++) {
    const auto kind = static_cast<Kind>((customer + i) % 3);
    spent += buy(items[(customer + i) % 5], kind, 1 + (customer + i) % 7);
  }
  if (customer % 1000 == 0) {
    try {
      pay(777'777, false);
    } catch (const std::runtime_error &error) {
      std::printf("customer %d: %s\n", customer, error.what());
    }
  }
  return spent;
}
}  // namespace shop

int main(int argc, char **argv) {
  const int customers = argc > 1 ? std::atoi(argv[1]) : 26'000;
  const int pace = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto serve = [customers, pace](const char *name) {
    pthread_setname_np(pthread_self(), name);
    auto next = std::chrono::steady_clock::now();
    for (int customer = 1; customer <= customers; customer++) {
      shop::visit(customer);
      if (pace == 0 || customer % pace != 0) continue;
      next += std::chrono::milliseconds(1);
      std::this_thread::sleep_until(next);
    }
  };
  std::thread one(serve, "till-one"), two(serve, "till-two");
  one.join();
  two.join();
  return 0;
}
