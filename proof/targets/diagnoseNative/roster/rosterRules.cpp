#include "roster.hpp"
#include <algorithm>

bool Roster::isRested(const Shift &shift) const {
  auto found = shifts_.find(shift.who);
  if (found == shifts_.end()) return true;
  for (const Shift &other : found->second) {
#if FAULT == 2
    int gap = std::max(shift.from, other.from) - std::max(shift.to, other.to);
#else
    int gap = std::max(shift.from, other.from) - std::min(shift.to, other.to);
#endif
    if (gap < rules_.restMinutes) return false;
  }
  return true;
}

bool Roster::assign(const Shift &shift) {
  if (lengthOf(shift) <= 0 || !isRested(shift)) return false;
  if (minutesOf(shift.who) + lengthOf(shift) > rules_.mostWeekly) return false;
  shifts_[shift.who].push_back(shift);
  return true;
}

int Roster::minutesOf(const std::string &who) const {
  int sum = 0;
  auto found = shifts_.find(who);
  if (found != shifts_.end())
    for (const Shift &shift : found->second) sum += lengthOf(shift);
  return sum;
}

int Roster::payOf(const std::string &who, int centsPerHour) const {
  int cents = 0;
  auto found = shifts_.find(who);
  if (found == shifts_.end()) return 0;
  for (const Shift &shift : found->second) {
    cents += lengthOf(shift) * centsPerHour / 60;
    cents += nightMinutes(shift) * rules_.nightBonus / 60;
  }
  return cents;
}

std::vector<std::string> Roster::idle(const std::vector<std::string> &names) const {
  std::vector<std::string> found;
  for (const std::string &name : names)
    if (minutesOf(name) == 0) found.push_back(name);
  return found;
}
