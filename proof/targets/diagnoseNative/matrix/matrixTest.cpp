#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "matrix.hpp"

TEST_CASE("cells are found") { REQUIRE(cell(made(2, 3, {1, 2, 3, 4, 5, 6}), 1, 2) == 6); }

TEST_CASE("a square is turned") {
  REQUIRE(turned(made(2, 2, {1, 2, 3, 4})).cells == std::vector<double>{1, 3, 2, 4});
}

TEST_CASE("rows are multiplied by columns") {
  REQUIRE(product(made(1, 2, {1, 2}), made(2, 1, {3, 4})).cells == std::vector<double>{11});
}

TEST_CASE("small determinants") {
  REQUIRE(determinant(made(2, 2, {1, 2, 3, 4})) == -2);
  REQUIRE(determinant(made(3, 3, {2, 0, 0, 0, 3, 0, 0, 0, 4})) == 24);
}

#if FAULT == 1
TEST_CASE("a column times a row") {
  Matrix wide = product(made(2, 1, {1, 2}), made(1, 3, {1, 2, 3}));
  REQUIRE(traceOf(wide) == 5);
}
#else
TEST_CASE("large determinants") {
  REQUIRE(determinant(made(4, 4, {0, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 0})) == 120);
}
#endif
