#include "parcels.hpp"

static const Zone zones[] = {{"near", 400, 90}, {"far", 900, 250}, {"world", 1500, 700}};

static bool isNear(const std::string &country) {
  return country == "AT" || country == "CH" || country == "DE";
}

static bool isFar(const std::string &country) {
#if FAULT == 2
  return country < "FR" || country > "SE";
#else
  return country == "FR" || country == "SE" || country == "PL";
#endif
}

Zone zoneOf(const std::string &country) {
  if (isNear(country)) return zones[0];
  if (isFar(country)) return zones[1];
  return zones[2];
}
