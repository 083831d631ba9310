// One call with an operand of every kind to each of many functions alike, so that each can have a condition of its own.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#define OWN __attribute__((noinline))

enum class Colour : std::uint8_t { red, green, blue = 200 };

struct Operands {
  std::int16_t i16;
  std::uint16_t u16;
  std::int32_t i32;
  std::uint64_t small;
  float single;
  double whole;
  double nan;
  bool yes, no;
  Colour colour;
  char letter;
  unsigned bits : 3;
  const char *name, *none;
  std::string title;
  const Operands *next;
  std::int32_t row[3];
};

#define GIVEN                                                                                                        \
  const Operands *o, std::int8_t i8, std::uint8_t u8, std::uint32_t u32, std::int64_t i64, std::uint64_t u64, double d, \
      float f, double nan
#define PASSED o, i8, u8, u32, i64, u64, d, f, nan
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6)
#define DEFINE(n)               \
  OWN void check##n(GIVEN) {    \
    use(PASSED);                \
    sink = n;                   \
  }
#define CALL(n) yard::check##n(PASSED);

namespace yard {
static volatile long sink;
OWN void use(GIVEN) {
  sink = o->i16 + i8 + u8 + u32 + i64 + static_cast<long>(u64) + static_cast<long>(d + f) + (nan > 0);
}
ALL(DEFINE)
OWN void look(GIVEN, bool yes, Colour colour, char letter, const char *name, const char *none) {
  use(PASSED);
  sink = yes + static_cast<int>(colour) + letter + (name == none);
}
}  // namespace yard

int main() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Operands all{-300, 65535, -70000, 3, 0.1f, 16, nan, true, false, Colour::blue, 'x', 5, "item", nullptr, "a title", nullptr, {7, -8, 9}};
  const Operands *o = &all;
  const std::int8_t i8 = -5;
  const std::uint8_t u8 = 200;
  const std::uint32_t u32 = 4000000000u;
  const std::int64_t i64 = -9007199254740993;
  const std::uint64_t u64 = ~0ull;
  const double d = -2.5;
  const float f = 0.1f;
  ALL(CALL)
  yard::look(PASSED, true, Colour::green, 'x', "item", nullptr);
  std::puts("done");
}
