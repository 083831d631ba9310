#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "layout.hpp"

TEST_CASE("a line that is just full is not broken") {
  Style style{15, 2, '.'};
  REQUIRE(page("the quick brown", Style{40, 0, '.'}) == "the.quick.brown");
  REQUIRE(page("all these ab so it goes", style) == "..all..these.ab\n..so.it.goes");
}

TEST_CASE("blanks are spread from the left") {
  Style style{20, 0, '-'};
  std::string text = page("we all go to sea until then", style);
  REQUIRE(text == "we--all--go--to--sea\nuntil-then");
}
