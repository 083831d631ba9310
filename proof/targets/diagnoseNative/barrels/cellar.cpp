#include "barrels.hpp"
#include <algorithm>

static bool isOlder(const Barrel &one, const Barrel &other) {
#if FAULT == 1
  return one.wine < other.wine;
#else
  return one.year < other.year;
#endif
}

void Cellar::store(Barrel barrel) {
  barrels_.push_back(barrel);
  std::stable_sort(barrels_.begin(), barrels_.end(), isOlder);
}

int draw(Barrel &barrel, int litres) {
  int taken = std::min(barrel.litres, litres);
#if FAULT == 2
  barrel.litres -= litres;
#else
  barrel.litres -= taken;
#endif
  return taken;
}

std::vector<int> Cellar::serve(const Order &order) {
  std::vector<int> parts;
  int wanted = order.litres;
  for (Barrel &barrel : barrels_) {
    if (barrel.wine != order.wine || wanted == 0) continue;
    int taken = draw(barrel, wanted);
    wanted -= taken;
    parts.push_back(taken);
  }
  return parts;
}

int Cellar::left(const std::string &wine) const {
  int litres = 0;
  for (const Barrel &barrel : barrels_)
    if (barrel.wine == wine) litres += barrel.litres;
  return litres;
}
