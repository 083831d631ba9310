/* A library that hands out a function object of its own. */
#include <functional>

namespace shop {
std::function<int(int)> foreign(int by) {
  return [by](int x) { return x + by; };
}
}
