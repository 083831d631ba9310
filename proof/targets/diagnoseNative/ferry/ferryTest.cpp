#include <gtest/gtest.h>
#include "ferry.hpp"

TEST(Ferry, FillsTheEmptiestLane) {
  Deck deck({1000, 1500});
  EXPECT_EQ(deck.board({"a", 450, 1500}), 1);
  EXPECT_EQ(deck.board({"b", 400, 1200}), 1);
  EXPECT_EQ(deck.board({"c", 400, 1200}), 0);
}

TEST(Ferry, LeavesOnTheQuayWhatHasNoRoom) {
  Deck deck({500});
  EXPECT_EQ(deck.board({"a", 480, 1500}), -1);
  EXPECT_EQ(deck.waiting(), 1u);
}

TEST(Ferry, LiesLevelWithoutCars) { EXPECT_EQ(Deck({800, 800, 800}).heel(), 0); }

TEST(Ferry, ChargesHeavyOnes) { EXPECT_EQ(fare({"a", 600, 4000}, false), 5850); }

TEST(Ferry, IsCheaperBothWays) { EXPECT_EQ(fare({"a", 400, 900}, true), 5760); }

#if FAULT == 1
TEST(Ferry, HeelsToTheHeavySide) {
  Deck deck({1200, 1200});
  deck.board({"a", 400, 1000});
  deck.board({"b", 450, 2000});
  deck.board({"c", 420, 1500});
  EXPECT_EQ(deck.heel(), -500);
}
#else
TEST(Ferry, AddsUpTheDay) {
  EXPECT_EQ(takings({{"a", 300, 900}, {"b", 520, 1900}, {"c", 650, 2500}}), 3200 + 4100 + 5600);
}
#endif
