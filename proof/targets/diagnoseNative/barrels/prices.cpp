#include "barrels.hpp"

int bottlesFor(int litres) {
#if FAULT == 3
  return litres * 4 / 3 + 1;
#else
  return (litres * 4 + 2) / 3;
#endif
}

int discounted(int cents, int bottles) {
  if (bottles >= 24) return cents * 9 / 10;
  return cents;
}

int priceOf(const std::vector<int> &parts, int centsPerBottle) {
  int sum = 0;
  int bottles = 0;
  for (int litres : parts) {
    int count = bottlesFor(litres);
    bottles += count;
    sum += count * centsPerBottle;
  }
  return discounted(sum, bottles);
}

int label(const std::string &wine, int year) {
  int sum = year;
  for (char letter : wine) sum = (sum * 31 + letter) % 9973;
  return sum;
}
