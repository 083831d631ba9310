// Every kind of outcome a GoogleTest test has; -DCRASH adds one that kills the runner.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace geometry {
__attribute__((noinline)) int area(int width, int height) { return width + height; }
}  // namespace geometry

TEST(Area, Works) { EXPECT_EQ(geometry::area(2, 2), 4); }

TEST(Area, IsWrong) {
  std::printf("said by IsWrong\n");
  EXPECT_EQ(geometry::area(2, 3), 6);
  EXPECT_LT(geometry::area(1, 1), 1) << "second failure";
}

TEST(Area, Throws) { throw std::runtime_error("no paper"); }

TEST(Area, IsSkipped) { GTEST_SKIP() << "no ruler"; }

TEST(Area, DISABLED_Never) { FAIL(); }

class Sides : public testing::TestWithParam<int> {};
TEST_P(Sides, ArePositive) { EXPECT_NE(GetParam(), 2); }
INSTANTIATE_TEST_SUITE_P(All, Sides, testing::Values(1, 2, 3));

#ifdef CRASH
TEST(Crash, Dies) {
  std::fflush(stdout);
  std::abort();
}
TEST(Crash, ZNever) {}
#endif
