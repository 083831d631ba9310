#pragma once
#include <map>
#include <string>
#include <vector>

/** Hours from the beginning of the week; one that ends after it goes on at its beginning. */
struct Shift {
  std::string who;
  int from;
  int hours;
};

bool isWithin(const Shift &shift, int hour);
int restBetween(const Shift &before, const Shift &after);

class Rota {
public:
  void add(const Shift &shift);
  std::vector<std::string> at(int hour) const;
  int hoursOf(const std::string &who) const;
  std::vector<std::string> tired() const;

private:
  std::vector<Shift> of(const std::string &who) const;
  std::vector<Shift> shifts;
};

std::string table(const Rota &rota, int from, int to);
