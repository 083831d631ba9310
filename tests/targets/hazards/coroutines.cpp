// C++20 coroutines: frames on the heap that are resumed from elsewhere, also by another thread, with exceptions.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline, noclone))

namespace routines {
struct Generator {
  struct promise_type {
    int value = 0;
    std::exception_ptr failure;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int next) { value = next; return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
};
NOINLINE int twice(int a) { asm volatile(""); return a * 2; }
NOINLINE int check(int a) {
  if (a == 12) throw std::runtime_error("twelve");
  asm volatile("");
  return a + 1;
}
Generator counts(int from, int to) {
  for (int i = from; i < to; i++) co_yield check(twice(i));
}
Generator sums(Generator one, Generator other) {
  int total = 0;
  while (!one.handle.done() && !other.handle.done()) {
    one.handle.resume();
    other.handle.resume();
    total += one.handle.promise().value - other.handle.promise().value;
    co_yield total;
  }
  one.handle.destroy();
  other.handle.destroy();
}
NOINLINE int drain(Generator generator) {
  int last = 0;
  while (!generator.handle.done()) {
    generator.handle.resume();
    last = generator.handle.promise().value;
  }
  if (generator.handle.promise().failure) {
    try {
      std::rethrow_exception(generator.handle.promise().failure);
    } catch (const std::runtime_error &error) {
      std::printf("%s\n", error.what());
    }
  }
  generator.handle.destroy();
  return last;
}
NOINLINE int moved(Generator generator) {
  int total = 0;
  while (!generator.handle.done()) {
    std::thread thread([&] { generator.handle.resume(); });
    thread.join();
    total += generator.handle.promise().value;
  }
  generator.handle.destroy();
  return total;
}
}

int main() {
  using namespace routines;
  std::printf("%d\n", drain(counts(20, 400)));
  std::printf("%d\n", drain(counts(0, 100)));
  std::printf("%d\n", drain(sums(counts(20, 50), counts(60, 100))));
  std::printf("%d\n", moved(counts(100, 150)));
  return 8;
}
