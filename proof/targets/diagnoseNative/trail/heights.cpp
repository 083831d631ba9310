#include "trail.hpp"
#include <algorithm>

static int meanOf(const Track &track, size_t from, size_t to) {
  int sum = 0;
  for (size_t at = from; at < to; at++) sum += track[at].metres;
#if FAULT == 1
  return sum / (int)(to - from + 1);
#else
  return sum / (int)(to - from);
#endif
}

Track smoothed(const Track &track, size_t around) {
  Track result = track;
  for (size_t at = 0; at < track.size(); at++) {
    size_t from = at < around ? 0 : at - around;
    size_t to = std::min(track.size(), at + around + 1);
    result[at].metres = meanOf(track, from, to);
  }
  return result;
}

int climbed(const Track &track) {
  int sum = 0;
  for (size_t at = 1; at < track.size(); at++) {
    int rise = track[at].metres - track[at - 1].metres;
    if (rise > 0) sum += rise;
  }
  return sum;
}

int highest(const Track &track) {
  int most = 0;
  for (const Point &point : track) most = std::max(most, point.metres);
  return most;
}

double steepest(const Track &track) {
  double most = 0;
  for (size_t at = 1; at < track.size(); at++) {
    double way = (track[at].kilometre - track[at - 1].kilometre) * 1000;
    if (way > 0) most = std::max(most, (track[at].metres - track[at - 1].metres) / way);
  }
  return most;
}
