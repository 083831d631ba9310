#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "rail.hpp"

static Timetable lines() {
  Timetable table;
  table.add({"Aston", "Brent", minutesOf("06:15"), 40});
  table.add({"Aston", "Brent", minutesOf("21:45"), 40});
  table.add({"Brent", "Corby", minutesOf("00:05"), 55});
  table.add({"Brent", "Corby", minutesOf("08:30"), 55});
  return table;
}

TEST_CASE("a journey by day") {
  REQUIRE(lines().travel("Aston", "Corby", minutesOf("06:00")) == 205);
}

TEST_CASE("a journey by night") {
  REQUIRE(clockOf(lines().travel("Aston", "Corby", minutesOf("21:00"))) == "04:00");
}
