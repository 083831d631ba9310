#include <gtest/gtest.h>

#include "shop.hpp"

using shop::Cart;
using shop::Stock;

TEST(Price, OneIsFullPrice) { EXPECT_EQ(shop::lineTotal({"pen", 1, 120}), 120); }
TEST(Price, FiveAreCheaper) { EXPECT_EQ(shop::lineTotal({"pen", 5, 100}), 475); }
TEST(Price, TenAreCheapest) { EXPECT_EQ(shop::lineTotal({"pen", 10, 100}), 850); }

TEST(Cart, SumsItsLines) {
  Cart cart;
  cart.add("Pen", 2, 120);
  cart.add("Ink", 1, 900);
  EXPECT_EQ(cart.total(), 1140);
  EXPECT_EQ(cart.pieces(), 3);
}

TEST(Cart, ForgetsWhatIsRemoved) {
  Cart cart;
  cart.add("Pen", 2, 120);
  cart.add("Ink", 1, 900);
  EXPECT_EQ(cart.total(), 1140);
  EXPECT_TRUE(cart.remove("ink"));
  EXPECT_EQ(cart.total(), 240);
}

TEST(Cart, TakesACoupon) {
  Cart cart;
  cart.add("Lamp", 1, 5000);
  cart.use("SAVE20");
  EXPECT_EQ(cart.total(), 4000);
}

TEST(Cart, NeverCostsLessThanNothing) {
  Cart cart;
  cart.add("Pen", 1, 120);
  cart.use("MINUS500");
  EXPECT_EQ(cart.total(), 0);
}

TEST(Stock, KnowsWhatIsThere) {
  Stock stock;
  stock.put("Red Pen", 3);
  EXPECT_EQ(stock.available("red pen"), 3);
  EXPECT_EQ(stock.available("ink"), 0);
}

TEST(Stock, ReservesByAnyName) {
  Stock stock;
  stock.put("Red Pen", 3);
  stock.reserve("Red Pen", 2);
  EXPECT_EQ(stock.available("red pen"), 1);
}

TEST(Quote, AddsShipping) {
  Cart cart;
  cart.add("Lamp", 1, 5000);
  EXPECT_EQ(shop::quote(cart, "FR", 1500), 6000);
}
