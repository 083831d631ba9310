#include <doctest/doctest.h>
#include "garden.hpp"

static std::vector<Bed> beds() { return {{"beans", 4, 6}, {"kale", 1, 5}, {"mint", 9, 8}}; }

TEST_CASE("only dry beds miss something") {
  CHECK(missing(beds()[0]) == 2);
  CHECK(missing(beds()[2]) == 0);
}

TEST_CASE("rain falls on all") {
  auto all = beds();
  rain(all, 2);
  CHECK(all[1].litres == 3);
}

TEST_CASE("no more is poured than the tank holds") {
  auto all = beds();
  CHECK(poured(all, 3) == 3);
  CHECK(all[1].litres == 2);
}

TEST_CASE("cold months dry little") {
  auto all = beds();
  dry(all, 1, 10);
  CHECK(all[0].litres == 3);
}

#if FAULT == 1
TEST_CASE("the first warm month dries more") {
  auto all = beds();
  dry(all, 3, 10);
  CHECK(all[2].litres == 6);
}
#else
TEST_CASE("the driest is first") {
  std::vector<std::string> order{"kale", "beans"};
  CHECK(waterOrder(beds()) == order);
}
#endif
