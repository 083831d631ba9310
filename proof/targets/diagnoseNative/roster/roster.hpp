#pragma once
#include <map>
#include <string>
#include <vector>

/* Minutes since Monday 0:00; a shift may end after Sunday. */
struct Shift {
  std::string who;
  int from;
  int to;
};

struct Rules {
  int restMinutes;
  int mostWeekly;
  int nightBonus;
};

class Roster {
 public:
  explicit Roster(Rules rules) : rules_(rules) {}
  /* False, and nothing is changed, where it breaks a rule. */
  bool assign(const Shift &shift);
  int minutesOf(const std::string &who) const;
  int payOf(const std::string &who, int centsPerHour) const;
  std::vector<std::string> idle(const std::vector<std::string> &names) const;

 private:
  bool isRested(const Shift &shift) const;

  Rules rules_;
  std::map<std::string, std::vector<Shift>> shifts_;
};

int at(int day, int hour, int minute = 0);
int lengthOf(const Shift &shift);
int overlap(int from, int to, int otherFrom, int otherTo);
int nightMinutes(const Shift &shift);
