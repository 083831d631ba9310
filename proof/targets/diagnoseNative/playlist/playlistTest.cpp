#include <doctest/doctest.h>
#include "playlist.hpp"

static std::vector<Song> songs() { return {{"Rain", 200}, {"Dust", 140}, {"Tide", 260}}; }

TEST_CASE("the next one") {
  Player player{songs()};
  skip(player, 1);
  CHECK(current(player).title == "Dust");
}

TEST_CASE("after the last the first") {
  Player player{songs()};
  skip(player, 4);
  CHECK(current(player).title == "Dust");
}

TEST_CASE("one ends, the next begins") {
  Player player{songs()};
  play(player, 210);
  CHECK(current(player).title == "Dust");
  CHECK(player.played == 10);
}

TEST_CASE("a summary") { CHECK(summary(songs()) == "3 songs, 10:00"); }

#if FAULT == 1
TEST_CASE("back from the first") {
  Player player{songs()};
  skip(player, -1);
  play(player, 30);
  CHECK(current(player).title == "Tide");
}
#else
TEST_CASE("a long summary") {
  std::vector<Song> all = songs();
  all.push_back({"Opera", 5400});
  CHECK(summary(all) == "4 songs, 1:40:00");
}
#endif
