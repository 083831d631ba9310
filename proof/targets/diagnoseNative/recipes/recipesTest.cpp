#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "recipes.hpp"

using List = std::vector<std::string>;

TEST_CASE("one ingredient for twice as many") {
  REQUIRE(shoppingList({2, {{"sugar", {3, 1}}}}, 4) == List{"6 spoons sugar"});
}

TEST_CASE("less than a spoon") {
  REQUIRE(shoppingList({4, {{"salt", {1, 1}}}}, 2) == List{"1/2 spoons salt"});
}

TEST_CASE("much is measured in cups") {
  REQUIRE(shoppingList({1, {{"flour", {16, 1}}}}, 2) == List{"2 cups flour"});
}

TEST_CASE("the same for as many") {
  REQUIRE(shoppingList({3, {{"oil", {2, 1}}, {"flour", {8, 1}}}}, 3) == List{"2 spoons oil", "1/2 cups flour"});
}

#if FAULT == 1
TEST_CASE("between two spoons") {
  REQUIRE(shoppingList({4, {{"salt", {1, 1}}, {"oil", {3, 1}}}}, 6) == List{"1 1/2 spoons salt", "4 1/2 spoons oil"});
}
#else
TEST_CASE("thirds of a spoon") {
  REQUIRE(shoppingList({4, {{"salt", {1, 1}}, {"pepper", {4, 3}}}}, 8) == List{"2 spoons salt", "2 2/3 spoons pepper"});
}
#endif
