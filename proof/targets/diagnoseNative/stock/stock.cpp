#include "stock.hpp"
#include <algorithm>

void Stock::addBin(const std::string &item, const Bin &bin) { bins_[item].push_back(bin); }

int Stock::put(const std::string &item, int pieces) {
  for (Bin &bin : bins_[item]) {
    int here = std::min(pieces, roomLeft(bin));
    bin.pieces += here;
    pieces -= here;
  }
  return pieces;
}

int Stock::available(const std::string &item) const {
  int sum = 0;
  auto found = bins_.find(item);
  if (found != bins_.end())
    for (const Bin &bin : found->second) sum += bin.pieces;
  return sum;
}

int Stock::reserve(const std::string &item, int pieces) {
  if (available(item) < pieces) return 0;
  Reservation made{++last_, item, {}};
  for (Bin &bin : bins_[item]) {
    int here = std::min(pieces, bin.pieces);
    if (here == 0) continue;
    bin.pieces -= here;
    pieces -= here;
    made.taken[bin.place] += here;
  }
  reservations_.push_back(made);
  return made.number;
}

void Stock::release(int number) {
  for (auto at = reservations_.begin(); at != reservations_.end(); ++at) {
    if (at->number != number) continue;
    for (const auto &[place, pieces] : at->taken)
#if FAULT == 1
      binAt(bins_[at->item], place)->pieces = pieces;
#else
      binAt(bins_[at->item], place)->pieces += pieces;
#endif
    reservations_.erase(at);
    return;
  }
}

int Stock::toOrder(const std::string &item, int wanted, int perPack) const {
  int missing = wanted - available(item);
  return missing <= 0 ? 0 : packsFor(missing, perPack);
}

std::string Stock::fullest(const std::string &item) const {
  const Bin *best = nullptr;
  for (const Bin &bin : bins_.at(item))
    if (!best || roomLeft(bin) < roomLeft(*best)) best = &bin;
  return best ? best->place : "";
}
