// A static object uses what is gone when it is destroyed, after main has returned.
#include <cstdio>

struct Journal {
  int *lines;
  ~Journal();
};
Journal::~Journal() {
  std::printf("%d lines\n", *lines);
}
static Journal journal{new int(3)};
int main() {
  std::puts("done");
  delete journal.lines;
  journal.lines = nullptr;
}
