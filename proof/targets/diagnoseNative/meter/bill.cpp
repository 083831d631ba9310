#include "meter.hpp"

static const int basePerDay = 12;

int centsFor(int units, const std::vector<Tier> &tiers) {
  int cents = 0;
  int below = 0;
  for (const Tier &tier : tiers) {
    if (units <= below) break;
    int here = std::min(units, tier.upTo) - below;
    cents += here * tier.cents;
#if FAULT == 2
    below = here;
#else
    below = tier.upTo;
#endif
  }
  return cents;
}

int withBase(int cents, int days) { return cents + days * basePerDay; }

static std::string euros(int cents) {
  std::string rest = std::to_string(cents % 100);
  return std::to_string(cents / 100) + "." + (rest.size() < 2 ? "0" + rest : rest);
}

std::string bill(const std::vector<Reading> &readings, const std::vector<Tier> &tiers) {
  int days = readings.back().day - readings.front().day;
  return euros(withBase(centsFor(usedIn(readings), tiers), days));
}
