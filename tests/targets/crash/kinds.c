/* Dies with locals of every kind C has in two frames: what a debugger shows of them is to be shown. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum state { idle, busy = -3, done = 9 };
struct node {
  int number;
  struct node *next;
  union { float fraction; unsigned bits; };
  struct { short left, right; } pair;
  char name[8];
};

__attribute__((noinline)) void keep(const void *what) { __asm__ volatile("" ::"r"(what) : "memory"); }

__attribute__((noinline)) int walk(struct node *list, enum state state, float step, double *totals, unsigned char byte) {
  bool isFirst = true;
  struct node copy = *list;
  uint16_t counts[5] = {1, 65535, 0, 7, 9};
  const char *words[2] = {"one", "two"};
  long double precise = 1.25L;
  __int128 huge = -3;
  keep(&isFirst), keep(&copy), keep(counts), keep(words), keep(&precise), keep(&huge), keep(&state), keep(&step), keep(&byte);
  int got = list->next->next->number;
  keep(&isFirst), keep(&copy), keep(counts), keep(words), keep(&precise), keep(&huge), keep(&state), keep(&step), keep(&byte);
  keep(totals);
  return got;
}
int main(void) {
  struct node second = {2, NULL, {2.5f}, {-1, 1}, "second"};
  struct node first = {1, &second, {.bits = 7}, {300, -300}, "the firs"};
  double totals[3] = {0.5, -0.25, 1e-310};
  enum state state = busy;
  keep(&first), keep(&second), keep(totals), keep(&state);
  int got = walk(&first, state, 0.3f, totals, 200);
  keep(&first), keep(&second), keep(totals), keep(&state);
  return got;
}
