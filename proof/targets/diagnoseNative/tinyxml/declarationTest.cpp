#include <gtest/gtest.h>
#include "tinyxml.h"

TEST(Declaration, IsRead) {
  TiXmlDocument document;
  document.Parse("<?xml version=\"1.0\"?><a/>");
  EXPECT_FALSE(document.Error());
}

// CVE-2023-34194: what ends after a blank is no reason to die.
TEST(Declaration, EndsAfterABlank) {
  TiXmlDocument document;
  document.Parse("<?xml version=\"1.0\" ");
  EXPECT_EQ(document.FirstChildElement(), nullptr);
}
