#include <doctest/doctest.h>
#include "barrels.hpp"

static Cellar filled() {
  Cellar cellar;
  cellar.store({"white", 30, 2021});
  cellar.store({"red", 12, 2019});
  cellar.store({"red", 50, 2012});
  cellar.store({"red", 6, 2015});
  return cellar;
}

TEST_CASE("the oldest barrel is served first") {
  Cellar cellar = filled();
  std::vector<int> parts = cellar.serve({"red", 54});
  CHECK(parts.size() == 2);
  CHECK(parts.at(0) == 50);
}

TEST_CASE("what was served is gone") {
  Cellar cellar = filled();
  cellar.serve({"red", 60});
  CHECK(cellar.left("red") == 8);
}

TEST_CASE("an order has a price") {
  Cellar cellar = filled();
  CHECK(priceOf(cellar.serve({"red", 56}), 300) == 20250);
}
