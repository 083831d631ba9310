#include "parcels.hpp"

int surcharge(const Parcel &parcel, const Zone &zone) {
  bool isLong = parcel.length > 120;
  return isLong ? zone.base / 2 : 0;
}

int price(const Parcel &parcel, const std::string &country) {
  Zone zone = zoneOf(country);
  return zone.base + startedKilos(billedGrams(parcel)) * zone.perKilo + surcharge(parcel, zone);
}

int priceOfAll(const std::vector<Parcel> &parcels, const std::string &country) {
  int sum = 0;
  for (const Parcel &parcel : parcels) sum += price(parcel, country);
  if (parcels.size() > 2) sum -= sum / 20;
  return sum;
}
