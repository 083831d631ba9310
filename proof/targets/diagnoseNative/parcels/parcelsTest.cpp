#include <doctest/doctest.h>
#include "parcels.hpp"

TEST_CASE("a light and large parcel is billed by its volume") {
  std::vector<Parcel> parcels{{800, 40, 30, 20}, {2500, 20, 20, 10}};
  CHECK(priceOfAll(parcels, "DE") == 1520);
}

TEST_CASE("parcels go far") {
  std::vector<Parcel> parcels{{800, 130, 10, 10}, {3200, 30, 20, 10}, {700, 10, 10, 10}};
  CHECK(priceOfAll(parcels, "PL") == 4893);
}
