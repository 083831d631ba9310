#include "meter.hpp"

static const int wheels = 100000;

/** The meter begins again at zero. */
int usedBetween(const Reading &before, const Reading &after) {
  if (after.shown >= before.shown) return after.shown - before.shown;
#if FAULT == 1
  return before.shown - after.shown;
#else
  return after.shown + wheels - before.shown;
#endif
}

int usedIn(const std::vector<Reading> &readings) {
  int used = 0;
  for (size_t at = 1; at < readings.size(); at++) used += usedBetween(readings[at - 1], readings[at]);
  return used;
}

double perDay(const std::vector<Reading> &readings) {
  if (readings.size() < 2) return 0;
  return double(usedIn(readings)) / (readings.back().day - readings.front().day);
}
