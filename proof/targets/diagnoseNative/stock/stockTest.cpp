#include <doctest/doctest.h>
#include "stock.hpp"

static Stock screws() {
  Stock stock;
  stock.addBin("screw", {"A1", 100, 0});
  stock.addBin("screw", {"B7", 50, 0});
  stock.put("screw", 120);
  return stock;
}

TEST_CASE("bins are filled one by one") {
  Stock stock = screws();
  CHECK(stock.available("screw") == 120);
  CHECK(stock.put("screw", 40) == 10);
}

TEST_CASE("what is reserved is not available") {
  Stock stock = screws();
  CHECK(stock.reserve("screw", 30) == 1);
  CHECK(stock.available("screw") == 90);
  CHECK(stock.reserve("screw", 91) == 0);
}

TEST_CASE("what is released is available again") {
  Stock stock = screws();
  int number = stock.reserve("screw", 30);
  stock.release(number);
  CHECK(stock.available("screw") == 120);
}

TEST_CASE("whole packs are ordered") {
  Stock stock = screws();
  CHECK(stock.toOrder("screw", 120, 50) == 0);
  CHECK(stock.toOrder("screw", 150, 50) == 1);
  CHECK(stock.toOrder("screw", 220, 50) == 2);
}

TEST_CASE("the fullest bin is known") { CHECK(screws().fullest("screw") == "A1"); }
