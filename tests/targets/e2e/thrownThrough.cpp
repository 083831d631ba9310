// Exceptions pass calls with arguments on the stack, below which other calls have lain at every place.
#include <alloca.h>
#include <cstdio>
#include <cstring>

#define ALONE __attribute__((noinline))

// Not traced.
namespace quiet {
ALONE void thrown(int kind) {
  if (kind >= 0)
    throw kind;
}
} // namespace quiet

namespace through {
ALONE int earlier(int at) {
  asm volatile("" : : : "memory");
  return at + 1;
}
ALONE int many(int kind, long, long, long, long, long, long seventh, long eighth) {
  quiet::thrown(kind);
  return static_cast<int>(seventh + eighth);
}
} // namespace through

ALONE static int lowered(int at) {
  char *room = static_cast<char *>(alloca(16 * at + 16));
  memset(room, at % 3 == 0 ? 0 : at, 16 * at + 16);
  asm volatile("" : : "r"(room) : "memory");
  return through::earlier(at) + room[0];
}

int main() {
  int sum = 0, caught = 0;
  for (int at = 0; at < 96; at++) {
    sum += lowered(at);
    try {
      sum += through::many(at, 1, 2, 3, 4, 5, 6, 7);
    } catch (int kind) {
      caught += kind == at;
    }
  }
  std::printf("%d %d\n", sum, caught);
}
