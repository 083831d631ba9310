/* What std::function may hold: lambdas of all sizes, an object with operator(), a function, std::bind; two of one shape. */
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#ifdef __clang__
#define KEPT __attribute__((noinline, optnone))
#else
#define KEPT __attribute__((noipa))
#endif

namespace shop {
struct Job {
  int number;
  std::function<int(int)> work;
};
struct Scaled {
  long factor;
  std::string unit;
  int operator()(int x) const { return (int)(factor * x); }
};
int doubled(int x) { return 2 * x; }

#ifdef FOREIGN
/* Of another library, whose lambdas this program's debug information does not have. */
std::function<int(int)> foreign(int by);
#endif

KEPT int called(const std::function<int(int)> &work) { return work ? work(3) : 0; }
KEPT int passed(std::function<int(int)> work) { return work(3); }
KEPT int done(const Job &job) { return job.work(job.number); }
KEPT void run(const std::function<void()> &work) { work(); }
KEPT std::function<int(int)> made(int by) {
  return [by](int x) { return x + by; };
}
}

int main(int count, char **) {
  using namespace shop;
  int offset = 4 + count, sum = 0;
  long factor = 2 + count;
  short level = -7;
  std::string greeting = "good morning to all of you, dear customers";
  std::vector<int> prices{30, 10, 20};
  auto owned = std::make_shared<int>(77);
  sum += called([offset](int n) { return n + offset; });
  sum += called([level](int n) { return n * level; });
  sum += called([offset, factor](int n) { return (int)(offset * factor + n); });
  sum += called([&sum](int n) { return sum + n; });
  sum += called([](int n) { return n; });
  sum += called([offset, factor, level](int n) { return (int)(offset * factor + n + level); });
  sum += called([greeting, prices](int n) { return (int)greeting.size() + prices[0] + n; });
  sum += called([owned](int n) { return *owned + n; });
  sum += called(Scaled{5, "kg"});
  sum += called(doubled);
  sum += called(nullptr);
  sum += called(std::bind([](int a, int b) { return a - b; }, 40, std::placeholders::_1));
  sum += passed([offset](int n) { return n - offset; });
  sum += done({8, [level](int n) { return n + level; }});
  run([&sum, by = offset * 10] { sum += by; });
  sum += made(9)(1);
#ifdef FOREIGN
  sum += called(foreign(11));
#endif
  sum += called([number = -1](int n) { return n + number; });
  sum += called([count = 4000000000u](int n) { return (int)(n + count); });
  printf("%d\n", sum);
}
