#include <doctest/doctest.h>
#include "trail.hpp"

static const Track hill{{0, 100, 0}, {1, 160, 600}, {2, 130, 1100}, {2.01, 130, 1400}, {3, 220, 2100}};

TEST_CASE("only what goes up is climbed") { CHECK(climbed(hill) == 150); }

TEST_CASE("the top is the highest point") { CHECK(highest(hill) == 220); }

TEST_CASE("what is level stays level") {
  CHECK(climbed({{0, 50, 0}, {1, 50, 500}, {2, 50, 900}}) == 0);
}

TEST_CASE("a pace is seconds for a kilometre") { CHECK(paceOf({0, 0, 0}, {2, 0, 700}) == 350); }

TEST_CASE("a rest has no pace") { CHECK(paces(hill).size() == 4 - 1); }

#if FAULT == 1
TEST_CASE("spikes are smoothed away") {
  Track spike{{0, 100, 0}, {1, 100, 500}, {2, 190, 900}, {3, 100, 1400}, {4, 100, 1900}};
  CHECK(highest(smoothed(spike, 1)) == 130);
}
#else
TEST_CASE("slow steps are no rest") {
  Track steep{{0, 100, 0}, {0.2, 190, 600}, {0.4, 280, 1300}, {0.41, 280, 1500}};
  CHECK(restingSeconds(steep) == 200);
}
#endif
