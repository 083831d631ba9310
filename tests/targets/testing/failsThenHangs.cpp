// GoogleTest: a test that fails when it runs first and never ends when it runs again ($MARKER tells).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

__attribute__((noinline)) bool marked() {
  const char* path = std::getenv("MARKER");
  if (std::ifstream(path).good()) return true;
  std::ofstream(path) << "run once\n";
  return false;
}

TEST(Again, NeverEnds) {
  while (marked()) pause();
  FAIL() << "the first time";
}
