// Throws what each line that it reads names, for stops where exceptions are raised.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace shop {
struct Refused : std::runtime_error {
  explicit Refused(const std::string &why) : std::runtime_error("refused: " + why) {}
};
}

static void sell(const std::string &what) {
  if (what == "number") throw 42;
  if (what == "range") throw std::out_of_range("no such shelf");
  throw shop::Refused(what);
}

static int sold(const std::string &what) {
  try {
    sell(what);
  } catch (...) {
    return 1;
  }
  return 0;
}

int main() {
  char line[64];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    int refused = sold(line);
    printf("%s %d\n", line, refused);
    fflush(stdout);
  }
  return 0;
}
