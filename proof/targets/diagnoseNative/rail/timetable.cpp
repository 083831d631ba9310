#include "rail.hpp"

void Timetable::add(Leg leg) { legs_[leg.from].push_back(leg); }

const Leg *Timetable::next(const std::string &from, int time) const {
  auto found = legs_.find(from);
  if (found == legs_.end()) return nullptr;
  const Leg *best = nullptr;
  for (const Leg &leg : found->second)
#if FAULT == 3
    if (!best || wait(time, leg.departs) <= wait(time, best->departs)) best = &found->second.front();
#else
    if (!best || wait(time, leg.departs) < wait(time, best->departs)) best = &leg;
#endif
  return best;
}

int Timetable::travel(const std::string &from, const std::string &to, int time) const {
  std::string at = from;
  int sum = 0;
  for (int legs = 0; at != to; legs++) {
    const Leg *leg = next(at, (time + sum) % (24 * 60));
    if (!leg || legs > 9) return -1;
    sum += wait((time + sum) % (24 * 60), leg->departs) + leg->minutes;
    at = leg->to;
  }
  return sum;
}
