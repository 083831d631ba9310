#include <gtest/gtest.h>
#include "roster.hpp"

static const Rules rules{11 * 60, 48 * 60, 400};

TEST(Roster, CountsMinutes) {
  Roster roster(rules);
  EXPECT_TRUE(roster.assign({"ada", at(0, 8), at(0, 16)}));
  EXPECT_EQ(roster.minutesOf("ada"), 480);
}

TEST(Roster, PaysByTheHour) {
  Roster roster(rules);
  roster.assign({"ada", at(0, 8), at(0, 12)});
  EXPECT_EQ(roster.payOf("ada", 2000), 8000);
}

TEST(Roster, PaysNightsBetter) {
  Roster roster(rules);
  roster.assign({"ben", at(1, 2), at(1, 8)});
  EXPECT_EQ(roster.payOf("ben", 1500), 10600);
}

TEST(Roster, LetsPeopleSleep) {
  Roster roster(rules);
  roster.assign({"cem", at(0, 14), at(0, 22)});
  EXPECT_FALSE(roster.assign({"cem", at(1, 6), at(1, 12)}));
  EXPECT_TRUE(roster.assign({"cem", at(1, 14), at(1, 22)}));
  EXPECT_EQ(roster.minutesOf("cem"), 960);
}

TEST(Roster, KnowsWhoIsFree) {
  Roster roster(rules);
  roster.assign({"ada", at(3, 8), at(3, 10)});
  EXPECT_EQ(roster.idle({"ada", "ben"}).size(), 1u);
}
