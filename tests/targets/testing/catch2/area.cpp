// Every kind of outcome a Catch2 test has; -DCRASH adds one that kills the runner.
#ifdef CATCH3
#include "catch_amalgamated.hpp"
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace geometry {
__attribute__((noinline)) int area(int width, int height) { return width + height; }
}  // namespace geometry

TEST_CASE("area works", "[area]") { REQUIRE(geometry::area(2, 2) == 4); }

TEST_CASE("area, with sides", "[area]") {
  SECTION("small") { CHECK(geometry::area(1, 2) == 2); }
  SECTION("large") {
    std::printf("said by large\n");
    INFO("the sides are " << 20 << " and " << 30);
    CHECK(geometry::area(20, 30) == 600);
  }
}

TEST_CASE("it throws") { throw std::runtime_error("no paper"); }

TEST_CASE("known to fail", "[!shouldfail]") { REQUIRE(geometry::area(1, 5) == 5); }

TEST_CASE("hidden", "[.]") { REQUIRE(false); }

#ifdef CRASH
TEST_CASE("crashes") { std::raise(SIGSEGV); }
#endif
