#include <gtest/gtest.h>
#include "fares.hpp"

TEST(Fares, OneZoneAtNoon) {
  Card card(700);
  card.ride({3, 3, 720});
  EXPECT_EQ(card.statement(), "120 = 120");
}

TEST(Fares, FurtherIsDearer) {
  Card card(700);
  card.ride({1, 4, 720});
  EXPECT_EQ(card.statement(), "216 = 216");
}

TEST(Fares, MorningsAreDearer) {
  Card card(700);
  card.ride({2, 3, 480});
  EXPECT_EQ(card.charged(), 190);
}

TEST(Fares, TheDayTicketIsTheLimit) {
  Card card(250);
  card.ride({2, 3, 480});
  card.ride({2, 3, 1020});
  EXPECT_EQ(card.charged(), 250);
}

#if FAULT == 1
TEST(Fares, ThereAndBack) {
  Card card(700);
  card.ride({1, 4, 480});
  card.ride({4, 1, 1020});
  EXPECT_EQ(card.statement(), "270 270 = 540");
}
#else
TEST(Fares, ManyRides) {
  Card card(400);
  for (int minute : {480, 720, 800, 1020}) card.ride({2, 3, minute});
  EXPECT_EQ(card.charged(), 400);
}
#endif
