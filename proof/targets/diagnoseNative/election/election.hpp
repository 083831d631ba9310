#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

using Ballot = std::vector<std::string>;
using Tally = std::map<std::string, int>;

std::string firstOf(const Ballot &ballot, const std::set<std::string> &out);
Tally tally(const std::vector<Ballot> &ballots, const std::set<std::string> &out);
std::string weakest(const Tally &tally);
std::string leader(const Tally &tally);
int votesNeeded(int ballots);
std::string winner(const std::vector<Ballot> &ballots);
double turnout(int ballots, int voters);
