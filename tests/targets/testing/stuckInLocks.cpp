// A GoogleTest test in which two threads take two locks in opposite orders.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace bank {
std::mutex left, right;
std::mutex started;
int both = 0;

void meet() {
  {
    std::lock_guard<std::mutex> hold(started);
    both += 1;
  }
  for (;;) {
    std::lock_guard<std::mutex> hold(started);
    if (both == 2) return;
  }
}

__attribute__((noinline)) void pay() {
  std::lock_guard<std::mutex> first(left);
  meet();
  std::lock_guard<std::mutex> second(right);
}

__attribute__((noinline)) void refund() {
  std::lock_guard<std::mutex> first(right);
  meet();
  std::lock_guard<std::mutex> second(left);
}
}  // namespace bank

TEST(Bank, Settles) {
  std::thread other(bank::refund);
  bank::pay();
  other.join();
}
