/* A large context, of which much differs from call to call, is the first argument of small functions: as in Lua and Redis. */
#include <stdio.h>

struct frame {
  int kind, line, depth, flags;
  const char *name;
  double weight;
};

struct state {
  long steps, total, peak, misses, hits, bytes;
  struct frame current, before, oldest;
  struct frame *top;
  unsigned long seeds[6];
};

__attribute__((noinline)) int resize(struct state *state, int from, int to) {
  state->total += to - from;
  return to * 2;
}

int main(void) {
  static const char *const names[] = {"reading", "parsing", "writing"};
  struct state state = {.peak = 3};
  state.top = &state.current;
  long sum = 0;
  for (int i = 0; i < 40; i++) {
    state.steps++;
    state.misses += i * 3;
    state.hits += i * 5;
    state.bytes += i * 4096;
    state.oldest = state.before;
    state.before = state.current;
    state.current = (struct frame){i % 4, i * 10, i, i ^ 5, names[i % 3], i / 3.0};
    for (int k = 0; k < 6; k++) state.seeds[k] = state.seeds[k] * 31 + (unsigned long)(i + k);
    sum += resize(&state, i, i + 100);
  }
  printf("%ld\n", sum);
  return 0;
}
