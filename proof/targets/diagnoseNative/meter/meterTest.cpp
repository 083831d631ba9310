#include <gtest/gtest.h>
#include "meter.hpp"

static std::vector<Tier> tiers() { return {{100, 30}, {150, 40}, {100000, 50}}; }

TEST(Meter, CountsWhatIsUsed) { EXPECT_EQ(usedIn({{0, 40}, {5, 60}, {9, 75}}), 35); }

TEST(Meter, KnowsTheDailyUse) { EXPECT_DOUBLE_EQ(perDay({{0, 100}, {10, 180}}), 8); }

TEST(Meter, ChargesForFewUnits) { EXPECT_EQ(bill({{0, 10}, {2, 30}}, tiers()), "6.24"); }

TEST(Meter, ChargesForEachTier) { EXPECT_EQ(centsFor(120, tiers()), 3800); }

#if FAULT == 1
TEST(Meter, BeginsAgainAtZero) { EXPECT_EQ(bill({{0, 99980}, {3, 5}, {6, 20}}, tiers()), "12.72"); }
#else
TEST(Meter, ChargesForManyUnits) { EXPECT_EQ(bill({{0, 0}, {10, 170}}, tiers()), "61.20"); }
#endif
