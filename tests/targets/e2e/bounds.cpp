/* Values that are deeper and larger than what is captured. */
#include <cstdio>
#include <string>
#include <vector>

#ifdef __clang__
#define KEPT __attribute__((noinline, optnone))
#else
#define KEPT __attribute__((noipa))
#endif

namespace shop {
struct Step {
  int number;
  std::string name;
  Step *next;
};
struct Row {
  long id;
  std::string name;
  double values[8];
};
using Cube = std::vector<std::vector<std::vector<std::vector<int>>>>;

KEPT int walked(const Step *first, int after) { return first->number + after; }
KEPT int nested(const Cube &cube) { return cube[0][0][0][0]; }
KEPT long listed(int before, const std::vector<Row> &rows, int after) { return (long)rows.size() + before + after; }
KEPT std::vector<Row> made(int count, const char *name) {
  std::vector<Row> rows;
  for (int i = 0; i < count; i++) rows.push_back({1000 + i, name + std::to_string(i), {i + 0.5}});
  return rows;
}
}

int main() {
  using namespace shop;
  std::vector<Step> steps(12);
  for (int i = 0; i < 12; i++) steps[i] = {i + 1, "step " + std::to_string(i + 1), i < 11 ? &steps[i + 1] : nullptr};
  Cube cube{{{{1, 2}, {3}}, {{4}}}, {{{5, 6}}}};
  std::vector<Row> rows = made(100, "row ");
  std::vector<Row> few = made(24, "a row of a long name, ");
  long sum = walked(&steps[0], 5) + nested(cube);
  sum += listed(-1, rows, -2);
  sum += listed(-3, few, -4);
  printf("%ld\n", sum);
}
