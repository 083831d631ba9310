// A traced function that a static destructor calls after main.
#include <cstdio>

__attribute__((noinline, noclone)) int last(int a) {
  volatile int kept = a;
  return kept + 1;
}
struct Guard {
  ~Guard() { std::printf("%d\n", last(40)); }
} guard;

int main() {
  char line[16];
  setvbuf(stdout, nullptr, _IOLBF, 0);
  std::puts("ready");
  if (!std::fgets(line, sizeof line, stdin)) return 2;
  return last(3);
}
