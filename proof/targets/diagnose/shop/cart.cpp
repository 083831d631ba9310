#include "shop.hpp"

#include <algorithm>

namespace shop {

void Cart::add(const std::string& item, int quantity, long cents) {
  lines_.push_back({normalised(item), quantity, cents});
  changed();
}

bool Cart::remove(const std::string& item) {
  const std::string name = normalised(item);
  const auto found = std::find_if(lines_.begin(), lines_.end(),
                                  [&](const Line& line) { return line.item == name; });
  if (found == lines_.end()) return false;
  lines_.erase(found);
#if FAULT != 3
  changed();
#endif
  return true;
}

void Cart::use(const std::string& couponCode) {
  coupon_ = parseCoupon(couponCode).value_or(Coupon{});
  changed();
}

void Cart::changed() { total_.reset(); }

long Cart::sumOfLines() {
  long sum = 0;
  for (const Line& line : lines_) sum += lineTotal(line);
  return sum;
}

long Cart::total() {
  if (!total_) total_ = applyCoupon(sumOfLines(), coupon_);
  return *total_;
}

int Cart::pieces() const {
  int pieces = 0;
  for (const Line& line : lines_) pieces += line.quantity;
  return pieces;
}

}  // namespace shop
