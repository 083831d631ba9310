#include "shop.hpp"

namespace shop {

int tierOf(int quantity) {
#if FAULT == 1
  if (quantity > 10) return 15;
#else
  if (quantity >= 10) return 15;
#endif
  if (quantity >= 5) return 5;
  return 0;
}

long withPercentOff(long cents, int percent) {
#if FAULT == 2
  const long rate = percent / 100;
  return cents - cents * rate;
#else
  return cents - cents * percent / 100;
#endif
}

long lineTotal(const Line& line) {
  return withPercentOff(line.cents * line.quantity, tierOf(line.quantity));
}

long atLeastZero(long cents) { return cents < 0 ? 0 : cents; }

std::optional<Coupon> parseCoupon(const std::string& code) {
  if (code.rfind("SAVE", 0) == 0) return Coupon{std::stoi(code.substr(4)), 0};
  if (code.rfind("MINUS", 0) == 0) return Coupon{0, std::stol(code.substr(5))};
  return std::nullopt;
}

long applyCoupon(long cents, const Coupon& coupon) {
  return atLeastZero(withPercentOff(cents, coupon.percent) - coupon.cents);
}

}  // namespace shop
