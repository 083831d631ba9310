#include "stock.hpp"

int roomLeft(const Bin &bin) { return bin.room - bin.pieces; }

int packsFor(int pieces, int perPack) {
#if FAULT == 2
  return pieces / perPack + 1;
#else
  return (pieces + perPack - 1) / perPack;
#endif
}

Bin *binAt(std::vector<Bin> &bins, const std::string &place) {
  for (Bin &bin : bins)
    if (bin.place == place) return &bin;
  return nullptr;
}
