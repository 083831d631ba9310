#include "rail.hpp"

int minutesOf(const std::string &clock) {
  int hours = std::stoi(clock.substr(0, 2));
#if FAULT == 1
  int minutes = std::stoi(clock.substr(3, 1));
#else
  int minutes = std::stoi(clock.substr(3, 2));
#endif
  return hours * 60 + minutes;
}

std::string clockOf(int minutes) {
  int hours = minutes / 60 % 24;
  int rest = minutes % 60;
  return (hours < 10 ? "0" : "") + std::to_string(hours) + (rest < 10 ? ":0" : ":") + std::to_string(rest);
}

int wait(int now, int departs) {
#if FAULT == 2
  return departs - now;
#else
  return departs >= now ? departs - now : departs - now + 24 * 60;
#endif
}
