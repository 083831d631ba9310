/* Types that calling conventions pass in every way there is; `make` makes a value of one, `show` writes it as JSON. */
#include <complex.h>
#include <cstdint>
#include <cstdio>
#include <string>

template <class T> T make(int n);
#define NUMBER(type, value, format, as) \
  template <> type make<type>(int n) { return (type)(value); } \
  static void show(type x) { printf(format, (as)x); }
NUMBER(signed char, n % 100 - 50, "%ld", long)
NUMBER(unsigned char, n % 200, "%ld", long)
NUMBER(short, n * 7 - 300, "%ld", long)
NUMBER(unsigned short, n * 9, "%ld", long)
NUMBER(int, n * -1000, "%ld", long)
NUMBER(unsigned, n * 1000u, "%ld", long)
NUMBER(long, n * -100000l, "%ld", long)
NUMBER(unsigned long, n * 100000ul, "%ld", long)
NUMBER(__int128, -(__int128)n * 1000, "%ld", long)
NUMBER(float, n / 4.0f, "%.17g", double)
NUMBER(double, n / -8.0, "%.17g", double)
template <> bool make<bool>(int n) { return n % 2; }
static void show(bool x) { printf(x ? "true" : "false"); }
/* Its values are not read: it takes a place. */
template <> long double make<long double>(int n) { return n; }
static void show(long double) { printf("null"); }

#define ONE(name, attributes, a_type) \
  struct attributes name { a_type a; }; \
  template <> name make<name>(int n) { name x; x.a = make<a_type>(n); return x; } \
  static void show(const name &x) { printf("{\"a\":"); show(x.a); printf("}"); }
#define TWO(name, attributes, a_type, b_type) \
  struct attributes name { a_type a; b_type b; }; \
  template <> name make<name>(int n) { name x; x.a = make<a_type>(n); x.b = make<b_type>(n + 1); return x; } \
  static void show(const name &x) { printf("{\"a\":"); show(x.a); printf(",\"b\":"); show(x.b); printf("}"); }
#define ROW(name, attributes, a_type, count) \
  struct attributes name { a_type a[count]; }; \
  template <> name make<name>(int n) { name x; for (int i = 0; i < count; i++) x.a[i] = make<a_type>(n + i); return x; } \
  static void show(const name &x) { \
    printf("{\"a\":["); \
    for (int i = 0; i < count; i++) { if (i) printf(","); show(x.a[i]); } \
    printf("]}"); \
  }
ONE(OneByte, , signed char)
ONE(OneFloat, , float)
ONE(OneDouble, , double)
ONE(OneWide, , __int128)
ONE(AlignedLong, alignas(16), long)
TWO(ByteShort, , unsigned char, short)
TWO(IntFloat, , int, float)
TWO(FloatLong, , float, long)
TWO(TwoLongs, , long, long)
TWO(TwoFloats, , float, float)
TWO(TwoDoubles, , double, double)
TWO(FloatDouble, , float, double)
TWO(LongByte, , long, unsigned char)
ROW(ThreeFloats, , float, 3)
ROW(FourFloats, , float, 4)
ROW(FiveFloats, , float, 5)
ROW(ThreeDoubles, , double, 3)
ROW(FourDoubles, , double, 4)
ROW(FiveDoubles, , double, 5)
ROW(ThreeBytes, , signed char, 3)
ROW(ElevenBytes, , unsigned char, 11)
ROW(ThreeInts, , int, 3)
ROW(ThreeLongs, , long, 3)
ROW(SevenShorts, , short, 7)
TWO(Nested, , TwoFloats, OneFloat)
TWO(NestedMixed, , OneFloat, ByteShort)
TWO(Deep, , TwoDoubles, TwoDoubles)
struct Derived : OneDouble { double b; };
template <> Derived make<Derived>(int n) { Derived x; x.a = make<double>(n); x.b = make<double>(n + 1); return x; }
static void show(const Derived &x) { printf("{\"a\":"); show(x.a); printf(",\"b\":"); show(x.b); printf("}"); }
/* Its copies need code: callers pass an address. */
struct Counted {
  long a;
  Counted() : a(0) {}
  Counted(const Counted &other) : a(other.a) {}
  ~Counted() {}
};
template <> Counted make<Counted>(int n) { Counted x; x.a = make<long>(n); return x; }
static void show(const Counted &x) { printf("{\"a\":"); show(x.a); printf("}"); }
struct Empty {};
template <> Empty make<Empty>(int) { return {}; }
static void show(const Empty &) { printf("null"); }
template <> std::string make<std::string>(int n) { return std::string("text ") + std::to_string(n); }
static void show(const std::string &x) { printf("\"%s\"", x.c_str()); }
