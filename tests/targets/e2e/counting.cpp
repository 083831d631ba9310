// Counts every call of its functions itself: `counting N`, on three threads at once. Prints a line
// "name calls" for each, so that what a tracer counted can be compared.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#define OWN __attribute__((noinline))

struct Big {
  long words[6];
};

namespace hot {
std::atomic<unsigned> leaves, branches, odds, names, sums, lasts, quiets;

OWN unsigned leaf(unsigned value) {
  leaves++;
  return value * 2654435761u;
}
OWN unsigned branch(unsigned value) {
  branches++;
  return leaf(value) + leaf(value + 1);
}
OWN unsigned odd(unsigned value) {
  odds++;
  if (value % 1000 == 7) throw std::runtime_error("odd");
  return value + 1;
}
OWN const char *name(const char *of, double weight) {
  names++;
  return weight > 0 ? of : "none";
}
OWN long sum(Big big) {
  sums++;
  return big.words[0] + big.words[5];
}
OWN unsigned last(unsigned value) {
  lasts++;
  return value ^ 5;
}
OWN unsigned first(unsigned value) { return last(value + 1); }
OWN unsigned quiet(unsigned value) {
  quiets++;
  return value + 3;
}
}  // namespace hot

static void work(unsigned rounds) {
  unsigned value = 1;
  for (unsigned round = 0; round < rounds; round++) {
    value += hot::branch(round);
    try {
      value += hot::odd(round);
    } catch (const std::runtime_error &) {
      value += 2;
    }
    value += hot::name("some text", round)[0];
    value += static_cast<unsigned>(hot::sum(Big{{round, 2, 3, 4, 5, 6}}));
    value += hot::first(round);
    if (round % 1000 == 0) value += hot::quiet(round);
  }
  if (value == 12345) std::puts("never");
}

int main(int argc, char **argv) {
  const unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1000;
  std::thread one(work, rounds), two(work, rounds);
  work(rounds);
  one.join();
  two.join();
  const auto tell = [](const char *name, const std::atomic<unsigned> &calls) {
    std::printf("hot::%s %u\n", name, calls.load());
  };
  tell("leaf", hot::leaves);
  tell("branch", hot::branches);
  tell("odd", hot::odds);
  tell("name", hot::names);
  tell("sum", hot::sums);
  tell("last", hot::lasts);
  tell("quiet", hot::quiets);
  return 0;
}
