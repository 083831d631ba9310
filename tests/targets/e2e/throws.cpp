// Exceptions through many frames: caught one up, three up, rethrown, from a destructor's scope.
#include <cstdio>
#include <stdexcept>
#include <string>

#define OWN __attribute__((noinline))

namespace storm {
int cleaned = 0;
struct Guard {
  ~Guard() { cleaned++; }
};
OWN int fail(int kind) {
  if (kind == 1) throw std::runtime_error("one");
  if (kind == 2) throw std::string("two");
  if (kind == 3) throw 3;
  return kind;
}
OWN int middle(int kind) {
  Guard guard;
  return fail(kind) + 1;
}
OWN int deep(int depth, int kind) {
  Guard guard;
  return depth == 0 ? middle(kind) : deep(depth - 1, kind) + 1;
}
OWN int again(int kind) {
  try {
    return middle(kind);
  } catch (...) {
    throw;
  }
}
OWN int catcher(int kind) {
  try {
    return again(kind) + deep(20, kind);
  } catch (const std::exception &error) {
    std::printf("exception %s\n", error.what());
  } catch (const std::string &text) {
    std::printf("string %s\n", text.c_str());
  } catch (int number) {
    std::printf("number %d\n", number);
  }
  return -kind;
}
}  // namespace storm

int main() {
  int sum = 0;
  for (int round = 0; round < 50; round++)
    for (int kind = 0; kind < 4; kind++) sum += storm::catcher(kind);
  std::printf("sum %d, cleaned %d\n", sum, storm::cleaned);
  return 21;
}
