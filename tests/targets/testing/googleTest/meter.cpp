// A branch that only the failing test takes.
#include "meter.hpp"
#include <gtest/gtest.h>

TEST(Meter, Counts) { EXPECT_EQ(meter::usedBetween(10, 14), 4); }

TEST(Meter, StandsStill) { EXPECT_EQ(meter::usedBetween(10, 10), 0); }

TEST(Meter, BeginsAgain) { EXPECT_EQ(meter::usedBetween(990, 5), 15); }
