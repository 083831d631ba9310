// Names of parameters and fields that an export has uses of its own for, and numbers JSON does not have.
#include <cmath>
#include <cstdio>
#include <stdexcept>

struct Host {
  const char *address;
  int port;
};

struct Base {
  int weight;
};
struct Derived : Base {
  int weight;
};

__attribute__((noinline)) int sum(const int *begin, const int *end, int id) {
  int total = 0;
  for (; begin != end; ++begin) total += *begin;
  if (id == 3) throw std::runtime_error("three");
  return total;
}
__attribute__((noinline)) double half(double number) {
  printf("%f\n", number);
  return number / 2;
}
__attribute__((noinline)) int reach(const Host *host) {
  printf("%s\n", host->address);
  return host->port;
}
__attribute__((noinline)) int weigh(const Derived *what) {
  printf("%d\n", what->weight);
  return what->Base::weight;
}
/** A name longer than what is read of a file's beginning. */
template <int... Numbers> struct List {
  __attribute__((noinline)) static int length(int add) {
    printf("%d\n", add);
    return (int)sizeof...(Numbers) + add;
  }
};

int main() {
  const int numbers[] = {1, 2, 3};
  for (int id = 2; id < 4; id++) {
    try {
      printf("%d\n", sum(numbers, numbers + 3, id));
    } catch (const std::runtime_error &) {
      puts("caught");
    }
  }
  for (double number : {(double)NAN, (double)INFINITY, (double)-INFINITY, 1.5}) half(number);
  const Host host = {"localhost", 80};
  reach(&host);
  Derived derived;
  derived.weight = 2;
  derived.Base::weight = 1;
  weigh(&derived);
  return List<1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007, 1000000008,
              1000000009, 1000000010, 1000000011, 1000000012, 1000000013, 1000000014, 1000000015, 1000000016,
              1000000017, 1000000018, 1000000019, 1000000020, 1000000021, 1000000022, 1000000023, 1000000024>::length(1) == 25
             ? 0
             : 1;
}
