#include "ferry.hpp"

static const int gap = 40;

bool Lane::take(const Car &car) {
  int needed = car.centimetres + gap;
  if (needed > left_) return false;
  left_ -= needed;
  cars_.push_back(car);
  return true;
}

int Lane::load() const {
  int sum = 0;
#if FAULT == 1
  for (size_t at = 1; at < cars_.size(); at++) sum += cars_[at].kilos;
#else
  for (const Car &car : cars_) sum += car.kilos;
#endif
  return sum;
}

Deck::Deck(std::vector<int> lanes) {
  for (int centimetres : lanes) lanes_.emplace_back(centimetres);
}

int Deck::board(const Car &car) {
  size_t best = lanes_.size();
  for (size_t at = 0; at < lanes_.size(); at++)
    if (best == lanes_.size() || lanes_[at].left() > lanes_[best].left()) best = at;
  if (best < lanes_.size() && lanes_[best].take(car)) return (int)best;
  waiting_.push_back(car);
  return -1;
}

int Deck::heel() const {
  int moment = 0;
  int middle = (int)lanes_.size() - 1;
  for (size_t at = 0; at < lanes_.size(); at++)
    moment += lanes_[at].load() * (2 * (int)at - middle);
  return moment;
}
