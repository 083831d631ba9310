// Optimised: what the functions were called with is kept by their callers only, in registers, memory and constants.
#include <stdio.h>

struct order { long number; double amount; const char *name; };

__attribute__((noinline)) void note(const void *what) {
  __asm__ volatile("" ::"a"(what) : "memory", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}

__attribute__((noinline)) static int last(const int *nothing, int depth) {
  note(&depth);
  return *nothing + depth;
}
/* Its parameters are dead once they are passed on. */
__attribute__((noinline)) static int middle(const struct order *order, long factor, int depth, const char *text) {
  note(order);
  note(text);
  int got = last((const int *)(factor - 3), depth + 1);
  note(&got);
  return got;
}
/* The same again: what it passes on it was passed itself. */
__attribute__((noinline)) static int through(long factor, int depth) {
  static struct order order = {7, 12.5, "tea"};
  int got = middle(&order, factor, depth, "constant");
  note(&got);
  return got;
}
/* Two that jump to each other's beginning: what their caller passed to the first is not what it began with at last. */
__attribute__((noinline)) static int pong(int left, long factor);
__attribute__((noinline)) static int ping(int left, long factor) {
  if (left > 0) return pong(left - 1, factor);
  int got = through(factor, 5);
  note((const void *)factor);
  return got;
}
__attribute__((noinline)) static int pong(int left, long factor) { return ping(left - 1, factor); }
int main(int count, char **arguments) {
  note(arguments);
  int got = ping(count + 2, count + 2);
  printf("%d\n", got);
  return got;
}
