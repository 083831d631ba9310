// Takes one step for each line it reads, with a structure by pointer: what its hooks show may change between two lines.
#include <cstdio>

struct Place {
  int row;
  int column;
  Place *before;
};

namespace board {
[[gnu::noipa]] int step(Place *place) { return place->row += 1; }
[[gnu::noipa]] int turn(Place *place) { return place->column += 1; }
}  // namespace board

int main() {
  char line[16];
  Place first = {1, 1, nullptr};
  Place place = {10, 20, &first};
  while (fgets(line, sizeof line, stdin)) {
    int row = board::step(&place);
    int column = board::turn(&place);
    std::printf("row %d, column %d\n", row, column);
    std::fflush(stdout);
  }
}
