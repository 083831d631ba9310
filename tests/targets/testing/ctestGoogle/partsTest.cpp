#include <gtest/gtest.h>

#include "parts.hpp"

TEST(Parts, AreCounted) {
  const auto first = std_like::split("a=1,b=2,");
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(std_like::total(first), 3);
}

TEST(Parts, AreSplit) { EXPECT_EQ(std::get<0>(std_like::split("x=7")[0]), "x"); }
