// One function of each verdict: hooked, inlined into two callers, too short to hook.
#include <cstdio>

#define OWN __attribute__((noinline))

namespace fate {
__attribute__((always_inline)) inline int merged(int value) { return value * 3 + 1; }
int calls;
OWN int first(int value) {
  calls++;
  return merged(value) + 1;
}
OWN int second(int value) {
  calls--;
  return merged(value) - 1;
}
// A lone `ret`; the next function begins right behind it.
extern "C" void tiny();
__asm__(".text\n.globl tiny\n.type tiny,@function\ntiny: .cfi_startproc\nret\n.cfi_endproc\n.size tiny,.-tiny\n"
        ".type tiny_neighbour,@function\ntiny_neighbour: .cfi_startproc\n.rept 8\nxor %eax,%eax\n.endr\nret\n.cfi_endproc\n"
        ".size tiny_neighbour,.-tiny_neighbour\n");
}  // namespace fate

int main(int argc, char **) {
  fate::tiny();
  std::printf("%d %d\n", fate::first(argc), fate::second(argc));
  return 0;
}
