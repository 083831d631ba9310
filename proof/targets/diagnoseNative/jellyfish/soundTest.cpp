#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
extern "C" {
#include "cjellyfish/jellyfish.h"
}

static std::string sound(const std::string &word) {
  char *code = metaphone(word.c_str());
  std::string copy = code;
  std::free(code);
  return copy;
}

TEST_CASE("words sound") {
  REQUIRE(sound("metaphone") == "MTFN");
  REQUIRE(sound("window") == "WNTW");
}
