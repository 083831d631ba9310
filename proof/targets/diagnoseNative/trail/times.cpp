#include "trail.hpp"

static bool isResting(const Point &from, const Point &to) {
#if FAULT == 2
  return to.kilometre - from.kilometre < 0.5;
#else
  return to.kilometre - from.kilometre < 0.05;
#endif
}

int paceOf(const Point &from, const Point &to) {
  return (int)((to.seconds - from.seconds) / (to.kilometre - from.kilometre));
}

std::vector<int> paces(const Track &track) {
  std::vector<int> found;
  for (size_t at = 1; at < track.size(); at++)
    if (!isResting(track[at - 1], track[at])) found.push_back(paceOf(track[at - 1], track[at]));
  return found;
}

int restingSeconds(const Track &track) {
  int sum = 0;
  for (size_t at = 1; at < track.size(); at++)
    if (isResting(track[at - 1], track[at])) sum += track[at].seconds - track[at - 1].seconds;
  return sum;
}
