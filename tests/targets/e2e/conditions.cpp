// Calls whose arguments are all known, for conditions: numbers of every kind, text, fields, wild pointers.
#include <cstdint>
#include <cstdio>
#include <string>

#define OWN __attribute__((noinline))

struct Job {
  int id;
  double weight;
  std::uint8_t tag;
  const char *note;
  std::string owner;
};

namespace yard {
static volatile long sink;
OWN void numbers(int size, unsigned small, std::uint64_t large, signed char byte) {
  sink = size + small + static_cast<long>(large) + byte;
}
OWN void decimals(double precise, float coarse) { sink = static_cast<long>(precise + coarse); }
OWN void text(const char *name, const std::string &title) { sink = name ? name[0] : title.size(); }
OWN void job(const Job *work) { sink = work == nullptr ? 0 : 1; }
OWN void seventh(int a, int b, int c, int d, int e, int f, int g) { sink = a + b + c + d + e + f + g; }
}  // namespace yard

int main() {
  for (int i = 0; i < 100; i++) {
    yard::numbers(i - 50, static_cast<unsigned>(i), ~0ull - static_cast<unsigned>(i),
                  static_cast<signed char>(i - 50));
    yard::decimals(i / 4.0 - 5, static_cast<float>(i) / 8);
    const std::string name = "item-" + std::to_string(i);
    yard::text(i == 99 ? nullptr : name.c_str(), std::string(static_cast<std::size_t>(i), 'x') + name);
    const Job work{i, i * 1.5, static_cast<std::uint8_t>(200 + i % 50), name.c_str(), name};
    yard::job(i % 10 == 9 ? nullptr : &work);
    yard::seventh(1, 2, 3, 4, 5, 6, i - 50);
  }
  yard::job(reinterpret_cast<const Job *>(8));
  std::puts("done");
  return 0;
}
