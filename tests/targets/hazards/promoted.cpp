// Clang -O3 passes what these references lead to in place of them: more arguments than are written here, on the stack.
#include <cstdio>
#include <vector>

namespace promoted {
__attribute__((noinline)) static long sum(int a, const long &b, const long &c, const long &d, const long &e,
                                          const long &f, const std::vector<short> &all) {
  long found = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6;
  for (short one : all) found = found * 7 + one;
  return found;
}
}

int main(int argc, char **) {
  std::vector<short> all;
  for (int i = 0; i < 5; i++) {
    all.push_back(static_cast<short>(argc * 3 + i));
    long b = argc + i, c = b * 2, d = b * 3, e = b * 4, f = b * 5;
    std::printf("%ld\n", promoted::sum(i, b, c, d, e, f, all));
  }
}
