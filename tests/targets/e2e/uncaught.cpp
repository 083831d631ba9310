// An exception nobody catches: the process aborts.
#include <cstdio>
#include <stdexcept>

__attribute__((noinline)) int explode(int value) {
  if (value > 0) throw std::logic_error("nobody wants this");
  return value;
}

int main(int argc, char **) {
  std::puts("before");
  std::fflush(stdout);
  return explode(argc);
}
