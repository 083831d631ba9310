#include "recipes.hpp"

int common(int one, int other) {
  while (other != 0) {
    int rest = one % other;
    one = other;
    other = rest;
  }
  return one;
}

Amount reduced(Amount amount) {
  int shared = common(amount.top, amount.bottom);
  return {amount.top / shared, amount.bottom / shared};
}

Amount times(Amount amount, Amount factor) {
  return reduced({amount.top * factor.top, amount.bottom * factor.bottom});
}

std::string written(Amount amount) {
  int whole = amount.top / amount.bottom;
#if FAULT == 1
  int rest = amount.top - whole;
#else
  int rest = amount.top - whole * amount.bottom;
#endif
  if (rest == 0) return std::to_string(whole);
  std::string part = std::to_string(rest) + "/" + std::to_string(amount.bottom);
  return whole == 0 ? part : std::to_string(whole) + " " + part;
}
