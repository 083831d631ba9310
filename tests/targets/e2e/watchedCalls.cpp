// Ways a call may take and end while a global changes: stack arguments, decimals, exceptions, tail calls.
#include <cstdio>
#include <stdexcept>
int depth = 0;
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, double h) { depth = (int)g; return a + b + c + d + e + f + g + (long)h; }
__attribute__((noinline)) double half(double x) { depth++; return x / 2; }
__attribute__((noinline)) void thrower(int n) { depth += 100; if (n == 0) throw std::runtime_error("x"); thrower(n - 1); asm volatile("" ::: "memory"); }
__attribute__((noinline)) int tail2(int n) { depth = n; asm volatile("" ::: "memory"); return n + depth; }
__attribute__((noinline)) int tail1(int n) { depth = -n; return tail2(n + 1); }
int main() { long s = many(1, 2, 3, 4, 5, 6, 7, 8.5); double h = half(9); try { thrower(2); } catch (std::exception &e) { s += 1000; } int t = tail1(5); printf("%ld %g %d %d\n", s, h, t, depth); }
