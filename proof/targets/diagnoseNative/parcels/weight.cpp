#include "parcels.hpp"
#include <algorithm>

int volumeWeight(const Parcel &parcel) {
#if FAULT == 1
  return parcel.length * parcel.width + parcel.height / 5;
#else
  return parcel.length * parcel.width * parcel.height / 5;
#endif
}

int billedGrams(const Parcel &parcel) { return std::max(parcel.grams, volumeWeight(parcel)); }

int startedKilos(int grams) { return (grams + 999) / 1000; }
