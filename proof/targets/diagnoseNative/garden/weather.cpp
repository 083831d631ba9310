#include "garden.hpp"

static const double perHour[] = {0.1, 0.3, 0.6, 0.2};

static int seasonOf(int month) {
#if FAULT == 1
  return (month - 1) / 3 % 4;
#else
  return month % 12 / 3;
#endif
}

double evaporated(int month, double hours) { return perHour[seasonOf(month)] * hours; }

void dry(std::vector<Bed> &beds, int month, double hours) {
  for (Bed &bed : beds) {
    bed.litres -= evaporated(month, hours);
    if (bed.litres < 0) bed.litres = 0;
  }
}

void rain(std::vector<Bed> &beds, double litres) {
  for (Bed &bed : beds) bed.litres += litres;
}
