// A shop whose faults are seeded one at a time (-DFAULT=n): prices, coupons, carts and stock.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#ifndef FAULT
#define FAULT 0
#endif

namespace shop {

struct Line {
  std::string item;
  int quantity;
  long cents;
};

/** Percent off for buying many of one item. */
int tierOf(int quantity);
long withPercentOff(long cents, int percent);
long lineTotal(const Line& line);

/** `SAVE20` takes 20 % off, `MINUS500` takes 500 cents off. */
struct Coupon {
  int percent = 0;
  long cents = 0;
};
std::optional<Coupon> parseCoupon(const std::string& code);
long applyCoupon(long cents, const Coupon& coupon);
long atLeastZero(long cents);

class Cart {
 public:
  void add(const std::string& item, int quantity, long cents);
  bool remove(const std::string& item);
  void use(const std::string& couponCode);
  long total();
  int pieces() const;

 private:
  long sumOfLines();
  void changed();
  std::vector<Line> lines_;
  Coupon coupon_;
  std::optional<long> total_;
};

std::string normalised(const std::string& name);

class Stock {
 public:
  void put(const std::string& item, int pieces);
  int available(const std::string& item) const;
  void reserve(const std::string& item, int pieces);

 private:
  std::map<std::string, int> pieces_;
};

long shippingCents(long grams, int zone);
int zoneOf(const std::string& country);
long quote(Cart& cart, const std::string& country, long grams);

}  // namespace shop
