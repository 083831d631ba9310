// GoogleTest: a test that fails only after another one, whose state it meets.
#include <gtest/gtest.h>

static int given = 0;
__attribute__((noinline)) int next() { return ++given; }

TEST(Numbers, AreGiven) { EXPECT_GT(next(), 0); }
TEST(Numbers, BeginWithOne) { EXPECT_EQ(next(), 1); }
