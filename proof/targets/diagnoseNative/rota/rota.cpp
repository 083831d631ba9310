#include "rota.hpp"
#include <algorithm>

static const int leastRest = 11;

void Rota::add(const Shift &shift) {
  auto place = std::find_if(shifts.begin(), shifts.end(), [&](const Shift &one) { return one.from > shift.from; });
  shifts.insert(place, shift);
}

std::vector<std::string> Rota::at(int hour) const {
  std::vector<std::string> names;
  for (const Shift &shift : shifts)
    if (isWithin(shift, hour)) names.push_back(shift.who);
  return names;
}

std::vector<Shift> Rota::of(const std::string &who) const {
  std::vector<Shift> found;
  for (const Shift &shift : shifts)
    if (shift.who == who) found.push_back(shift);
  return found;
}

int Rota::hoursOf(const std::string &who) const {
  int hours = 0;
  for (const Shift &shift : of(who)) hours += shift.hours;
  return hours;
}

std::vector<std::string> Rota::tired() const {
  std::vector<std::string> names;
  for (const Shift &shift : shifts) {
    if (std::find(names.begin(), names.end(), shift.who) != names.end()) continue;
    auto own = of(shift.who);
    for (size_t at = 1; at < own.size(); at++)
      if (restBetween(own[at - 1], own[at]) < leastRest) {
        names.push_back(shift.who);
        break;
      }
  }
  return names;
}
