// Two threads serve carts of different shapes; argv[1]: calls of functions in shop, in all.
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

static std::atomic<int> left;

namespace shop {
int price(const std::string &name, int count) {
  left--;
  return int(name.size()) * count;
}
int bundle(unsigned shape, int depth) {
  left--;
  int sum = 0;
  for (unsigned part = shape % 4; part > 0 && left > 0; part--) {
    unsigned next = shape / 4 * 2654435761u + part;
    sum += depth > 0 && next % 3 == 0 ? bundle(next, depth - 1)
                                      : price("item" + std::to_string(next % 50), int(next % 7));
  }
  return sum;
}
int checkout(unsigned cart) {
  left--;
  return bundle(cart * 2246822519u, 6) + price("delivery", 1);
}
}

static void serve(unsigned first) {
  for (unsigned cart = first; left > 0; cart += 2) shop::checkout(cart);
}

int main(int, char **argv) {
  left = atoi(argv[1]);
  std::thread other(serve, 1);
  serve(2);
  other.join();
  return 0;
}
