#include "election.hpp"

std::string weakest(const Tally &tally) {
  std::string found;
  int least = 0;
  for (const auto &[name, votes] : tally)
    if (found.empty() || votes < least) {
#if FAULT == 2
      if (found.empty()) least = votes;
#else
      least = votes;
#endif
      found = name;
    }
  return found;
}

std::string leader(const Tally &tally) {
  std::string found;
  int most = -1;
  for (const auto &[name, votes] : tally)
    if (votes > most) {
      found = name;
      most = votes;
    }
  return found;
}

int votesNeeded(int ballots) {
  return ballots / 2 + 1;
}

std::string winner(const std::vector<Ballot> &ballots) {
  std::set<std::string> out;
  for (;;) {
    Tally counted = tally(ballots, out);
    if (counted.empty()) return "";
    auto first = leader(counted);
    if (counted[first] >= votesNeeded((int)ballots.size()) || counted.size() == 1) return first;
    out.insert(weakest(counted));
  }
}

double turnout(int ballots, int voters) { return voters == 0 ? 0 : 100.0 * ballots / voters; }
