// Calls of known lengths: some short, some long, some with others inside, some that never return.
#include <chrono>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace works {

static volatile long sink;
static std::jmp_buf safe;

[[gnu::noinline]] long wait_us(long number, long microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  if (microseconds > 0)
    while (std::chrono::steady_clock::now() < end) sink = sink + 1;
  return number * 2;
}

[[gnu::noinline]] double half(const char *name, double of, long microseconds) {
  wait_us(0, microseconds);
  return name[0] == 'n' ? of / 2 : 0;
}

[[gnu::noinline]] void leaf(long number) { sink = number; }

[[gnu::noinline]] long around(long number) {
  if (number % 10 == 0) leaf(number);
  return number;
}

[[gnu::noinline]] void throws(long microseconds) {
  wait_us(0, microseconds);
  throw std::runtime_error("no");
}

[[gnu::noinline]] void jumps() {
  sink = 1;
  std::longjmp(safe, 1);
}

[[gnu::noinline]] long dig(long depth) { return depth == 0 ? 0 : dig(depth - 1) + 1; }

[[gnu::noinline]] int hangs(int level) {
  if (level > 0) return hangs(level - 1) + 1;
  std::puts("hangs");
  std::fflush(stdout);
  return std::getchar() == 'x' ? 40 : 0;
}

[[gnu::noinline]] void leaves(const std::string &how) {
  if (how == "hang") std::printf("%d\n", hangs(2));
  if (how == "exit") std::exit(3);
  if (how == "crash") *(volatile int *)0x10 = 1;
}

}  // namespace works

int main(int count, char **words) {
  using namespace works;
  const std::string how = count > 1 ? words[1] : "return";
  std::puts("begins");
  for (long i = 0; i < 2000; i++) wait_us(i, i % 500 == 499 ? 5000 : 0);
  for (long i = 0; i < 100; i++) half("name of it", i, i == 50 ? 5000 : 0);
  for (long i = 0; i < 100; i++) around(i);
  for (int i = 0; i < 3; i++) {
    try {
      throws(i == 1 ? 5000 : 0);
    } catch (const std::runtime_error &) {
    }
  }
  for (volatile int i = 0; i < 5; i = i + 1)
    if (setjmp(safe) == 0) jumps();
  std::thread([] { for (long i = 0; i < 10; i++) dig(100); }).join();
  std::printf("%ld\n", dig(500));
  std::fflush(stdout);
  leaves(how);
  return 0;
}
