#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "calc.hpp"

TEST_CASE("products come before sums") {
  REQUIRE(calculate("2 + 3 * 4") == 14);
  REQUIRE(calculate("(2 + 3) * 4") == 20);
}

TEST_CASE("powers are joined from the right") { REQUIRE(calculate("2 ^ 3 ^ 2") == 512); }

TEST_CASE("names have values") { REQUIRE(calculate("width * height", {{"width", 3}, {"height", 5}}) == 15); }

TEST_CASE("differences are joined from the left") { REQUIRE(calculate("20 - 5 - 3 + 1") == 13); }

TEST_CASE("numbers have fractions") { REQUIRE(calculate("1.5 * 4") == 6); }
