// A branch that only the failing test takes.
#include <gtest/gtest.h>

namespace meter {

int usedBetween(int before, int after) {
  if (after >= before) return after - before;
  return before - after;
}

int cents(int before, int after) { return usedBetween(before, after) * 30; }

}  // namespace meter

TEST(Meter, Counts) { EXPECT_EQ(meter::cents(10, 14), 120); }

TEST(Meter, StandsStill) { EXPECT_EQ(meter::cents(10, 10), 0); }

TEST(Meter, BeginsAgain) { EXPECT_EQ(meter::cents(990, 5), 450); }
