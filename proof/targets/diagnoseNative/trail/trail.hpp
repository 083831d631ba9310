#pragma once
#include <cstddef>
#include <vector>

struct Point {
  double kilometre;
  int metres;
  int seconds;
};

using Track = std::vector<Point>;

Track smoothed(const Track &track, size_t around);
int climbed(const Track &track);
int highest(const Track &track);
double steepest(const Track &track);
int paceOf(const Point &from, const Point &to);
std::vector<int> paces(const Track &track);
int restingSeconds(const Track &track);
