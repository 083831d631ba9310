// C values at the edges of the calling convention and of bit-fields; each function prints what it got and gave as a line of JSON.
#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__clang__)
#define OWN __attribute__((noinline, weak))
#else
#define OWN __attribute__((noipa))
#endif

enum colour { RED = -1, GREEN, BLUE = 7 };
struct bits {
  unsigned a : 5; signed b : 3; unsigned c : 30;
  unsigned long long d : 40; signed long long e : 24;
  _Bool f : 1; enum colour g : 4; unsigned : 0; unsigned char h : 3, i : 5; short s : 9;
};
#pragma pack(push, 1)
/** Its bit-fields reach beyond their units. */
struct packed { unsigned char t; unsigned a : 7; unsigned long long b : 37; int c : 20; double d; };
#pragma pack(pop)
struct ld { long double v; };
struct ldi { long double v; int n; };
struct cf { float complex z; };
struct cfi { float complex z; int n; };
struct fi { float f; int n; };
struct di { double d; int n; };
struct id { long n; double d; };
struct f4 { float a, b, c, d; };
struct c16 { char t[16]; };
struct c17 { char t[17]; };
struct l2 { long a, b; };
struct at { _Atomic int a; _Atomic(struct fi) s; atomic_bool b; _Atomic long *p; };

OWN int bitfields(struct bits b, const struct bits *p, struct packed k, const struct packed *q) {
#define BITS(v) v.a, v.b, v.c, (unsigned long long)v.d, (long long)v.e, v.f ? "true" : "false", v.h, v.i, v.s
#define BF "{\"a\":%u,\"b\":%d,\"c\":%u,\"d\":%llu,\"e\":%lld,\"f\":%s,\"g\":\"RED\",\"h\":%u,\"i\":%u,\"s\":%d}"
  printf("bitfields {\"b\":" BF ",\"p\":" BF, BITS(b), BITS((*p)));
#define PF "{\"t\":%u,\"a\":%u,\"b\":%llu,\"c\":%d,\"d\":%g}"
  printf(",\"k\":" PF ",\"q\":" PF ",\"return\":%d}\n", k.t, k.a, (unsigned long long)k.b, k.c, k.d, q->t, q->a, (unsigned long long)q->b, q->c, q->d, b.b + p->b);
  return b.b + p->b;
}
OWN struct ld longs(struct ld a, struct ldi b, long double x, const struct ldi *p) {
  printf("longs {\"a\":{\"v\":%.17Lg},\"b\":{\"v\":%.17Lg,\"n\":%d},\"x\":%.17Lg,\"p\":{\"v\":%.17Lg,\"n\":%d},\"return\":{\"v\":%.17Lg}}\n", a.v, b.v, b.n, x, p->v, p->n, a.v / 4);
  return (struct ld){a.v / 4};
}
OWN struct cf complexes(struct cf a, struct cfi b, float complex c, double complex d, long double complex e) {
  printf("complexes {\"a\":{\"z\":{\"re\":%g,\"im\":%g}},\"b\":{\"z\":{\"re\":%g,\"im\":%g},\"n\":%d},\"c\":{\"re\":%g,\"im\":%g},\"d\":{\"re\":%g,\"im\":%g},\"e\":{\"re\":%Lg,\"im\":%Lg},\"return\":{\"z\":{\"re\":%g,\"im\":%g}}}\n",
    crealf(a.z), cimagf(a.z), crealf(b.z), cimagf(b.z), b.n, crealf(c), cimagf(c), creal(d), cimag(d), creall(e), cimagl(e), crealf(a.z) + 1, cimagf(a.z));
  return (struct cf){a.z + 1};
}
OWN struct di regs(struct fi a, struct di b, struct id c, struct f4 d, struct c16 e, struct c17 f, int g) {
  printf("regs {\"a\":{\"f\":%g,\"n\":%d},\"b\":{\"d\":%g,\"n\":%d},\"c\":{\"n\":%ld,\"d\":%g},\"d\":{\"a\":%g,\"b\":%g,\"c\":%g,\"d\":%g},\"e\":{\"t\":\"%.16s\"},\"f\":{\"t\":\"%.17s\"},\"g\":%d,\"return\":{\"d\":%g,\"n\":%d}}\n",
    a.f, a.n, b.d, b.n, c.n, c.d, d.a, d.b, d.c, d.d, e.t, f.t, g, b.d * 2, a.n);
  return (struct di){b.d * 2, a.n};
}
OWN struct id spill(int a, int b, int c, int d, int e, struct l2 s, int f, int g, struct l2 t, double h) {
  printf("spill {\"a\":%d,\"b\":%d,\"c\":%d,\"d\":%d,\"e\":%d,\"s\":{\"a\":%ld,\"b\":%ld},\"f\":%d,\"g\":%d,\"t\":{\"a\":%ld,\"b\":%ld},\"h\":%g,\"return\":{\"n\":%d,\"d\":%g}}\n", a, b, c, d, e, s.a, s.b, f, g, t.a, t.b, h, f, h);
  return (struct id){f, h};
}
OWN struct f4 sse(double a, double b, double c, double d, double e, double f, double g, struct f4 s, double h, double i, struct fi t, float j) {
  printf("sse {\"a\":%g,\"b\":%g,\"c\":%g,\"d\":%g,\"e\":%g,\"f\":%g,\"g\":%g,\"s\":{\"a\":%g,\"b\":%g,\"c\":%g,\"d\":%g},\"h\":%g,\"i\":%g,\"t\":{\"f\":%g,\"n\":%d},\"j\":%g,\"return\":{\"a\":%g,\"b\":%g,\"c\":%g,\"d\":%g}}\n",
   a, b, c, d, e, f, g, s.a, s.b, s.c, s.d, h, i, t.f, t.n, j, s.d, s.c, s.b, s.a);
  return (struct f4){s.d, s.c, s.b, s.a};
}
OWN int8_t ints(int8_t a, uint8_t b, int16_t c, uint16_t d, int64_t e, uint64_t f, char g, float h, double i) {
  printf("ints {\"a\":%d,\"b\":%u,\"c\":%d,\"d\":%u,\"e\":\"%ld\",\"f\":\"%lu\",\"g\":\"%c\",\"h\":%g,\"i\":%g,\"return\":-7}\n", a, b, c, d, e, f, g, h, i);
  return -7;
}
OWN float odd(float a, double b, float c, double d, float e) {
  printf("odd {\"a\":\"NaN\",\"b\":\"%g\",\"c\":\"%.1f\",\"d\":%.17g,\"e\":%.9g,\"return\":\"inf\"}\n", b, c, d, e);
  asm volatile("" : : "x"(a));
  return INFINITY;
}
OWN void atomics(const struct at *a, _Atomic int *n) {
  struct fi fi; memcpy(&fi, (void *)&a->s, 8);
  printf("atomics {\"a\":{\"a\":%d,\"s\":{\"f\":%g,\"n\":%d},\"b\":true,\"p\":%ld},\"n\":%d}\n", a->a, fi.f, fi.n, *a->p, *n);
}

int main(void) {
  struct bits b = {21, -3, 0x2abcdef1, 0xfedcba9876ULL, -5000000, 1, RED, 5, 17, -200};
  struct bits b2 = {1, 3, 1, 1, 8388607, 0, RED, 7, 31, 255};
  struct packed k = {200, 100, 0x1a2b3c4d5eULL, -400000, 2.5}, k2 = {1, 127, 0x1fffffffffULL, 524287, -1};
  struct ldi ldi = {1.5L, 7};
  struct fi fi = {2.5, 6};
  long l = 99;
  struct at at;
  _Atomic int an = -8;
  bitfields(b, &b2, k, &k2);
  longs((struct ld){10.5L}, (struct ldi){-2.25L, 3}, 0.125L, &ldi);
  complexes((struct cf){1 + 2 * I}, (struct cfi){3 - 4 * I, 5}, 6 + 7 * I, 8 - 9 * I, 10.5L + 11 * I);
  regs((struct fi){1.5f, -2}, (struct di){2.5, 3}, (struct id){4, -5.5}, (struct f4){1, 2, 3, 4}, (struct c16){"exactly sixteen!"}, (struct c17){"and seventeen now"}, 77);
  spill(1, 2, 3, 4, 5, (struct l2){6, 7}, 8, 9, (struct l2){10, 11}, 1.25);
  sse(1, 2, 3, 4, 5, 6, 7, (struct f4){8, 9, 10, 11}, 12, 13, (struct fi){14, 15}, 16);
  ints(-128, 255, -32768, 65535, INT64_MIN, UINT64_MAX, 'q', 1.1f, 1e300);
  odd(NAN, -INFINITY, -0.0f, 0.1, 16777216.0f);
  memset(&at, 0, sizeof at);
  atomic_init(&at.a, 5), at.b = 1, at.p = (_Atomic long *)&l;
  memcpy((void *)&at.s, &fi, sizeof fi);
  atomics(&at, &an);
  return 0;
}
