// What clang does to arguments: without optimisation it forgets to describe one that is passed by an invisible
// reference and not used; when it optimises it drops those nobody uses, which moves the others.
#include <cstdio>
#include <string>

struct Named {
  std::string text;
};

__attribute__((noinline)) static int late(int a, int b, int c, int d, int first, Named, int second) {
  return a + b + c + d + first * 2 + second;
}

__attribute__((noinline)) static long wide(long a, long, long c, long d, long e, long f, long g, double h, long i) {
  return a + c * 2 + d * 3 + e * 4 + f * 5 + g * 6 + static_cast<long>(h) + i * 7;
}

int main(int argc, char **) {
  std::printf("%d\n", late(1, 2, 3, 4, argc + 40, Named{"not used"}, argc + 50));
  std::printf("%ld\n", wide(argc, argc + 1, argc + 2, argc + 3, argc + 4, argc + 5, argc + 6, argc + 0.5, argc + 8));
}
