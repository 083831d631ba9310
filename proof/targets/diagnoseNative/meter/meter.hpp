#pragma once
#include <algorithm>
#include <string>
#include <vector>

struct Reading {
  int day;
  int shown;
};

int usedBetween(const Reading &before, const Reading &after);
int usedIn(const std::vector<Reading> &readings);
double perDay(const std::vector<Reading> &readings);

struct Tier {
  int upTo;
  int cents;
};

int centsFor(int units, const std::vector<Tier> &tiers);
int withBase(int cents, int days);
std::string bill(const std::vector<Reading> &readings, const std::vector<Tier> &tiers);
