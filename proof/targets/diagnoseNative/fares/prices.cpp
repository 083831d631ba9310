#include "fares.hpp"
#include <cstdlib>

/** Both the first and the last zone count. */
int zonesOf(const Ride &ride) {
#if FAULT == 1
  return ride.toZone - ride.fromZone + 1;
#else
  return std::abs(ride.toZone - ride.fromZone) + 1;
#endif
}

bool isPeak(int minute) { return (minute >= 7 * 60 && minute < 9 * 60) || (minute >= 16 * 60 && minute < 18 * 60); }

int priceOf(const Ride &ride) {
  int cents = 150 + 40 * (zonesOf(ride) - 1);
  if (!isPeak(ride.minute)) cents = cents * 4 / 5;
  return cents;
}
