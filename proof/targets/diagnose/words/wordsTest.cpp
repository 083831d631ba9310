#include <catch2/catch.hpp>

#include "words.hpp"

using words::Recent;

TEST_CASE("plain words") {
  const auto found = words::tokens("  two words ");
  REQUIRE(found == std::vector<std::string>{"two", "words"});
}

TEST_CASE("quoted words") {
  const auto found = words::tokens("say \"good day\" twice");
  REQUIRE(found.size() == 3);
  CHECK(found[1] == "good day");
}

TEST_CASE("recent entries stay") {
  Recent recent(2);
  recent.put("a", "1");
  recent.put("b", "2");
  REQUIRE(recent.find("b") != nullptr);
  CHECK(*recent.find("b") == "2");
}

TEST_CASE("what was used stays longer") {
  Recent recent(2);
  recent.put("a", "1");
  recent.put("b", "2");
  REQUIRE(recent.find("a") != nullptr);
  recent.put("c", "3");
  CHECK(recent.size() == 2);
  REQUIRE(recent.find("a") != nullptr);
  CHECK(*recent.find("a") == "1");
}

TEST_CASE("floor of a key") {
  words::Node five{5, nullptr, nullptr};
  words::Node nine{9, nullptr, nullptr};
  const words::Node eight{8, &five, &nine};
  CHECK(words::floorKey(&eight, 8, -1) == 8);
  CHECK(words::floorKey(&eight, 6, -1) == 5);
}

TEST_CASE("floor below all keys") {
  words::Node five{5, nullptr, nullptr};
  words::Node nine{9, nullptr, nullptr};
  const words::Node eight{8, &five, &nine};
  CHECK(words::floorKey(&eight, 3, -1) == -1);
}

TEST_CASE("jobs in order of arrival") {
  const auto jobs = words::schedule({{"b", 1, 2}, {"a", 1, 1}});
  CHECK(std::string(jobs[0].name) == "a");
}

TEST_CASE("urgent jobs first") {
  const auto jobs = words::schedule({{"idle", 1, 1}, {"urgent", 9, 2}, {"usual", 5, 3}});
  CHECK(std::string(jobs[0].name) == "urgent");
}

TEST_CASE("checksums") {
  CHECK(words::checksum("") == 1);
  CHECK(words::checksum("a") == 65);
}

TEST_CASE("checksum of a long text") { CHECK(words::checksum("a longer text") == 2810582609u); }
