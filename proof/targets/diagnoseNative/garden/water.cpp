#include "garden.hpp"
#include <algorithm>

double missing(const Bed &bed) { return bed.litres < bed.needed ? bed.needed - bed.litres : 0; }

static bool isThirstier(const Bed &one, const Bed &other) {
#if FAULT == 2
  return one.needed > other.needed;
#else
  return missing(one) > missing(other);
#endif
}

std::vector<std::string> waterOrder(std::vector<Bed> beds) {
  std::stable_sort(beds.begin(), beds.end(), isThirstier);
  std::vector<std::string> names;
  for (const Bed &bed : beds)
    if (missing(bed) > 0) names.push_back(bed.plant);
  return names;
}

double poured(std::vector<Bed> &beds, double tank) {
  double before = tank;
  for (Bed &bed : beds) {
    double some = std::min(tank, missing(bed));
    bed.litres += some;
    tank -= some;
  }
  return before - tank;
}
