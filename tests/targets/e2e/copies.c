// Static functions that gcc copies with another signature: `.isra` and `.constprop`.
#include <stdio.h>
#include <stdlib.h>

struct box {
  long wide, high, deep;
};

__attribute__((noinline)) static long fits(const struct box *box, int mode, long room, double share, const char *name) {
  long left = room;
  for (long at = 0; at < room && name[at % 3]; at++) {
    left -= (long)((double)(box->high + at) * share);
    if (mode > 2 && left < 0) left += strtol(name, 0, 10) + room;
  }
  return left;
}

__attribute__((noinline)) static long stacked(struct box *all, int unused, long count, long step) {
  long sum = 0;
  for (long at = 0; at < count; at += step) {
    all[at].deep += at;
    sum += all[at].deep * labs(step - at);
  }
  return sum;
}

int main(int argc, char **argv) {
  struct box boxes[4] = {{argc, argc + 1, 0}, {2, 3, 4}, {5, 6, 7}, {8, 9, 10}};
  for (int i = 0; i < 3; i++) {
    printf("%ld\n", fits(&boxes[i], 3, 10 + i, 0.5 + i, argv[argc - 1]));
    printf("%ld\n", stacked(boxes, 9, 2 + i, 1 + i % 2));
  }
}
