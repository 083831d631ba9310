#include "rota.hpp"

static const int week = 168;

bool isWithin(const Shift &shift, int hour) {
  int end = shift.from + shift.hours;
  if (hour >= shift.from && hour < end) return true;
#if FAULT == 1
  return end > week && hour < end;
#else
  return end > week && hour < end - week;
#endif
}

int restBetween(const Shift &before, const Shift &after) {
#if FAULT == 2
  return after.from - before.from;
#else
  return after.from - before.from - before.hours;
#endif
}
