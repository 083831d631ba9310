// Where parameters lie: a parameter iN is passed N, fN is passed N + 0.5, pN the address N, bN true.
#include <complex.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
struct Small { int a; int b; };
struct Mixed { double d; long l; };
struct Floats { float x, y, z; };
struct Large { long a[3]; };
struct Empty {};
struct Extended { long double value; };
struct __attribute__((packed)) Packed { char c; long l; };
struct Bits { unsigned a : 3; unsigned b : 9; unsigned long c : 40; };
struct Base { int base; };
struct Derived : Base { double more; };
struct Virtual { virtual ~Virtual() {} int v = 0; };
struct Defaulted { Defaulted() = default; Defaulted(const Defaulted &) = default; long a = 1; };
struct Copied { Copied() {} Copied(const Copied &o) : a(o.a) {} long a = 1; };
union Either { long l; double d; };
enum class Colour : short { red = 3, blue = -2 };
typedef int v4 __attribute__((vector_size(16)));
namespace places {
#define KEEP __attribute__((noipa, used))
KEEP long plain(int i1, unsigned char i2, long i3, short i4, long long i5, char i6, int i7, bool b8) { return i1 + i2 + i3 + i4 + i5 + i6 + i7 + b8; }
KEEP double floats(float f1, double f2, float f3, double f4, double f5, double f6, double f7, double f8, float f9, double f10) { return f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10; }
KEEP long mixed(int i1, double f2, void *p3, float f4, const char *p5, int &&) { return i1 + long(f2) + long(p3) + long(f4) + long(p5); }
KEEP long small(Small, int i1, Mixed, double f2, int i3) { return i1 + long(f2) + i3; }
KEEP long large(int i1, Large, int i2, Floats, double f3) { return i1 + i2 + long(f3); }
KEEP long spilled(int i1, int i2, int i3, int i4, int i5, Small, int, int i6, Mixed m, int i7, Small s, int i8) { return i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + s.a + long(m.d); }
KEEP long wide(int i1, __int128, int i2, __int128, int i3, __int128, int i4, int i5) { return i1 + i2 + i3 + i4 + i5; }
KEEP long extended(int i1, long double, double f2, Extended, int i3, int i4, int i5, int i6, int i7, int i8) { return i1 + long(f2) + i3 + i4 + i5 + i6 + i7 + i8; }
KEEP long packed(Packed, int i1, Bits, int i2, Empty, int i3, Derived, double f4, int i5) { return i1 + i2 + i3 + long(f4) + i5; }
KEEP long classes(std::string, int i1, std::unique_ptr<int>, int i2, Virtual, int i3, Copied, int i4, Defaulted, int i5) { return i1 + i2 + i3 + i4 + i5; }
KEEP std::string text(int i1, double f2) { return std::string(i1, 'x') + std::to_string(f2); }
KEEP Large big(int i1, int i2) { return {{i1, i2, 3}}; }
KEEP Small little(int i1) { return {i1, 2}; }
KEEP Packed odd(int i1) { return {char(i1), 2}; }
KEEP Extended tenBytes(int i1) { return {(long double)i1}; }
KEEP std::vector<int> list(const std::string &, int i1) { return std::vector<int>(i1); }
KEEP long other(Either, int i1, Colour i3, double _Complex, double f4, v4, double f5, int (*)(int), int i6, int Small::*, int i7, long (Virtual::*)(), int i8) { return i1 + long(i3) + long(f4) + long(f5) + i6 + i7 + i8; }
KEEP int variadic(int i1, double f2, ...) { return i1 + int(f2); }
struct Object { long state = 0; KEEP long method(int i1, double f2) { return state + i1 + long(f2); } KEEP static long fixed(int i1) { return i1; } KEEP Large hidden(int i1) { return {{i1, 0, 0}}; } };
} // namespace places
int main() {
  using namespace places;
  Object object;
  plain(1, 2, 3, 4, 5, 6, 7, true);
  floats(1.5f, 2.5, 3.5f, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5f, 10.5);
  mixed(1, 2.5, (void *)3, 4.5f, (const char *)5, 6);
  small({90, 91}, 1, {92, 93}, 2.5, 3);
  large(1, {{90, 91, 92}}, 2, {9, 9, 9}, 3.5);
  spilled(1, 2, 3, 4, 5, {90, 91}, 99, 6, {92, 93}, 7, {94, 95}, 8);
  wide(1, 99, 2, 98, 3, 97, 4, 5);
  extended(1, 99, 2.5, {98}, 3, 4, 5, 6, 7, 8);
  packed({'a', 98}, 1, {1, 2, 3}, 2, {}, 3, {}, 4.5, 5);
  classes("x", 1, nullptr, 2, {}, 3, {}, 4, {}, 5);
  text(1, 2.5); big(1, 2); little(1); odd(1); tenBytes(1); list("x", 1);
  other({99}, 1, Colour::red, 9.0, 4.5, v4{}, 5.5, nullptr, 6, &Small::b, 7, nullptr, 8);
  variadic(1, 2.5, 99);
  object.method(1, 2.5); Object::fixed(1); object.hidden(1);
}
