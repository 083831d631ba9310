#include "election.hpp"

std::string firstOf(const Ballot &ballot, const std::set<std::string> &out) {
  for (const auto &name : ballot)
#if FAULT == 1
    if (out.empty() || out.count(ballot.front()) == 0) return name;
#else
    if (out.count(name) == 0) return name;
#endif
  return "";
}

Tally tally(const std::vector<Ballot> &ballots, const std::set<std::string> &out) {
  Tally counted;
  for (const auto &ballot : ballots)
    for (const auto &name : ballot)
      if (out.count(name) == 0) counted[name] += 0;
  for (const auto &ballot : ballots) {
    auto name = firstOf(ballot, out);
    if (!name.empty()) counted[name] += 1;
  }
  return counted;
}
