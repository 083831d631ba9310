/* Arguments and results of every class, alloca, a leaf with a red zone, vector state, and what the caller keeps in registers. */
#include <alloca.h>
#include <complex.h>
#include <immintrin.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

struct pair { double x; long n; };
struct floats { float a, b, c; };
struct large { char text[100]; };
union either { double d; long n; };
NOINLINE struct pair swap(struct pair p) { KEEP; return (struct pair){p.n, (long)p.x}; }
NOINLINE struct floats scale(struct floats f, float by) { KEEP; return (struct floats){f.a * by, f.b * by, f.c * by}; }
NOINLINE struct large upper(struct large l, int from, struct large other) {
  for (int i = from; l.text[i]; i++) l.text[i] = (char)(l.text[i] - 32);
  strcat(l.text, other.text);
  return l;
}
NOINLINE long double root(long double a, int n, long double b) { KEEP; return a / n + b; }
NOINLINE double complex turn(double complex z, float complex w) { KEEP; return z * I + w; }
NOINLINE __int128 product(__int128 a, long b) { KEEP; return a * b; }
NOINLINE union either flip(union either e, char c, short s, _Bool b) { KEEP; return (union either){.n = e.n + c + s + b}; }
NOINLINE double sum_of(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  double total = 0;
  for (const char *k = kinds; *k; k++)
    total += *k == 'i' ? va_arg(list, int) : *k == 'd' ? va_arg(list, double) : *k == 'L' ? (double)va_arg(list, long double)
             : va_arg(list, struct pair).x;
  total += va_arg(again, int);
  va_end(again);
  va_end(list);
  return total;
}
NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, double h, int i, struct pair p, int j, long double k) {
  KEEP;
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (int)h + 9 * i + (int)p.n + 11 * j + (int)k;
}
NOINLINE int on_stack(int n) {
  char *room = alloca((size_t)n);
  memset(room, n & 15, (size_t)n);
  int total = 0;
  for (int i = 0; i < n; i++) total += room[i];
  KEEP;
  return total;
}
/* Eight words below the stack pointer, without moving it. */
NOINLINE long leaf(long a, long b) {
  volatile long room[8];
  for (int i = 0; i < 8; i++) room[i] = a + i * b;
  return room[0] + room[3] + room[7];
}
__attribute__((target("avx2"))) NOINLINE __m256d wide(__m256d a, __m256d b) { KEEP; return _mm256_add_pd(a, _mm256_mul_pd(b, b)); }
__attribute__((target("avx2"))) NOINLINE double across(double by) {
  __m256d kept = _mm256_set_pd(1.5, 2.5, 3.5, 4.5);
  for (int i = 0; i < 100; i++) kept = wide(kept, _mm256_set1_pd(by));
  double out[4];
  _mm256_storeu_pd(out, kept);
  return out[0] + out[1] * 2 + out[2] * 3 + out[3] * 4;
}
__attribute__((target("avx512f"))) NOINLINE __m512d wider(__m512d a, __mmask8 mask) { KEEP; return _mm512_mask_add_pd(a, mask, a, a); }
__attribute__((target("avx512f"))) NOINLINE double across_wider(double by) {
  __m512d kept = _mm512_set1_pd(by);
  for (int i = 0; i < 20; i++) kept = wider(kept, (__mmask8)(i * 37));
  return _mm512_reduce_add_pd(kept);
}
/* Compilers know that these leave most registers alone, and keep values there over the calls. */
static __attribute__((noinline)) int plain(int a) { return a ^ 21; }
NOINLINE long keeps(long n) {
  long a = n, b = n * 3, c = n * 5, d = n * 7, total = 0;
  for (int i = 0; i < 50; i++) { a += plain(i); b ^= a; c += b; d -= c; total += d & 255; }
  return total + a + b + c + d;
}

int main(void) {
  struct pair p = swap((struct pair){3.0, 4});
  struct floats f = scale((struct floats){1, 2, 3}, 1.5f);
  struct large l = upper((struct large){"hello"}, 1, (struct large){" world"});
  double complex z = turn(1 + 2 * I, 3 - 1 * I);
  printf("%g %ld %g %g %g %s %Lg\n", p.x, p.n, f.a, f.b, f.c, l.text, root(10.5L, 3, 0.25L));
  printf("%g %g %lx %lx\n", creal(z), cimag(z), (long)product(((__int128)1 << 70) + 5, 3), (long)(product((__int128)1 << 70, 3) >> 64));
  printf("%ld %g\n", flip((union either){.n = 40}, 'a', -7, 1).n, sum_of("idiLisdid", 1, 2.5, 3, 4.5L, 5, p, 6.5, 7, 8.5));
  printf("%d %d %ld\n", many(1, 2, 3, 4, 5, 6, 7, 8.5, 9, p, 11, 12.5L), on_stack(5000) + on_stack(13), leaf(5, 6));
  if (__builtin_cpu_supports("avx2")) printf("%g\n", across(0.5));
  if (__builtin_cpu_supports("avx512f")) printf("%g\n", across_wider(0.5));
  printf("%ld\n", keeps(12));
  return 6;
}
