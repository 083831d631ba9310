#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "election.hpp"

TEST_CASE("a majority wins at once") {
  REQUIRE(winner({{"ann", "bob"}, {"ann"}, {"bob", "ann"}}) == "ann");
}

TEST_CASE("nobody is elected without ballots") { REQUIRE(winner({}) == ""); }

TEST_CASE("the turnout is a share") { REQUIRE(turnout(25, 100) == 25); }

TEST_CASE("all who are named are counted") {
  REQUIRE(tally({{"ann", "bob"}, {"ann", "cid"}}, {}) == Tally{{"ann", 2}, {"bob", 0}, {"cid", 0}});
}

static std::vector<Ballot> cast(std::vector<std::pair<int, Ballot>> alike) {
  std::vector<Ballot> all;
  for (const auto &[times, ballot] : alike) all.insert(all.end(), times, ballot);
  return all;
}

#if FAULT == 1
TEST_CASE("votes for who is out go on to the next") {
  REQUIRE(winner(cast({{4, {"ann"}}, {3, {"bob"}}, {2, {"cid", "bob"}}})) == "bob");
}
#else
TEST_CASE("who has the fewest votes is out") {
  REQUIRE(winner(cast({{4, {"ann"}}, {2, {"bob", "cid"}}, {3, {"cid", "ann"}}})) == "cid");
}
#endif
