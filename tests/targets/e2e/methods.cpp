// C++ shapes of functions: methods, namespaces, overloads, templates, scoped enums, references.
#include <cstdint>
#include <cstdio>
#include <string>

#define OWN __attribute__((noinline))

namespace shop::till {
enum class Mode : std::uint8_t { closed, open, training };

class Drawer {
 public:
  explicit Drawer(std::int64_t cents) : cents_(cents) {}
  OWN bool take(std::int64_t cents, Mode mode) {
    if (mode != Mode::open || cents > cents_) return false;
    cents_ -= cents;
    return true;
  }
  OWN double in(const char *currency, double rate) const {
    return currency[0] == 'E' ? static_cast<double>(cents_) * rate : 0;
  }
  OWN virtual Mode next(Mode mode) { return mode == Mode::closed ? Mode::open : Mode::training; }
  virtual ~Drawer() = default;

 private:
  std::int64_t cents_;
};

OWN int weigh(int grams) { return grams / 10; }
OWN int weigh(const char *label, int grams) { return label[0] + grams; }
int doubled;
template <typename T> OWN T twice(T value) {
  doubled++;
  return value + value;
}
OWN std::size_t measure(const std::string &text) { return text.size(); }
}  // namespace shop::till

int main() {
  using namespace shop::till;
  Drawer drawer(1000);
  bool taken = drawer.take(250, Mode::open);
  taken = drawer.take(5000, Mode::open) || taken;
  taken = drawer.take(1, Mode::training) || taken;
  const Mode mode = drawer.next(Mode::closed);
  const double euro = drawer.in("EUR", 0.01);
  const int weight = weigh(420) + weigh("x", 7) + twice(21) + static_cast<int>(twice(1.25));
  std::printf("%d %d %.2f %d %zu\n", taken, static_cast<int>(mode), euro, weight,
              measure("four"));
  return 0;
}
