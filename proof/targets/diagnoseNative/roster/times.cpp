#include "roster.hpp"
#include <algorithm>

static const int day = 24 * 60;

int at(int weekday, int hour, int minute) { return weekday * day + hour * 60 + minute; }

int lengthOf(const Shift &shift) { return shift.to - shift.from; }

int overlap(int from, int to, int otherFrom, int otherTo) {
  return std::max(0, std::min(to, otherTo) - std::max(from, otherFrom));
}

/* Between 22:00 and 6:00. */
int nightMinutes(const Shift &shift) {
  int minutes = 0;
#if FAULT == 1
  for (int start = shift.from / day * day; start < shift.to; start += day)
#else
  for (int start = (shift.from / day - 1) * day; start < shift.to; start += day)
#endif
    minutes += overlap(shift.from, shift.to, start + 22 * 60, start + 30 * 60);
  return minutes;
}
