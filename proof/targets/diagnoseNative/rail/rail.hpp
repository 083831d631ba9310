#pragma once
#include <map>
#include <string>
#include <vector>

struct Leg {
  std::string from;
  std::string to;
  int departs;
  int minutes;
};

class Timetable {
 public:
  void add(Leg leg);
  /* Minutes from `from` at `time` to `to`; -1: there is no way. */
  int travel(const std::string &from, const std::string &to, int time) const;
  const Leg *next(const std::string &from, int time) const;

 private:
  std::map<std::string, std::vector<Leg>> legs_;
};

int minutesOf(const std::string &clock);
std::string clockOf(int minutes);
int wait(int now, int departs);
