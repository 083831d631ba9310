#include <doctest/doctest.h>
#include "rota.hpp"

TEST_CASE("one after the other") {
  Rota rota;
  rota.add({"Ada", 8, 8});
  rota.add({"Ben", 16, 8});
  CHECK(table(rota, 8, 24) == "Ada Ada Ben Ben");
}

TEST_CASE("hours between are empty") {
  Rota rota;
  rota.add({"Ben", 16, 4});
  rota.add({"Ada", 8, 4});
  CHECK(table(rota, 8, 20) == "Ada - Ben");
}

TEST_CASE("hours are added") {
  Rota rota;
  rota.add({"Ada", 8, 4});
  rota.add({"Ben", 9, 6});
  rota.add({"Ada", 32, 6});
  CHECK(rota.hoursOf("Ada") == 10);
}

TEST_CASE("whoever sleeps is not tired") {
  Rota rota;
  rota.add({"Ada", 8, 6});
  rota.add({"Ada", 32, 6});
  CHECK(rota.tired().empty());
}

#if FAULT == 1
TEST_CASE("a night over the end of the week") {
  Rota rota;
  rota.add({"Ada", 160, 12});
  rota.add({"Ben", 4, 8});
  CHECK(table(rota, 0, 16) == "Ada Ben Ben -");
}
#else
TEST_CASE("a short night") {
  Rota rota;
  rota.add({"Ada", 14, 8});
  rota.add({"Ben", 8, 8});
  rota.add({"Ada", 30, 8});
  CHECK(rota.tired() == std::vector<std::string>{"Ada"});
}
#endif
