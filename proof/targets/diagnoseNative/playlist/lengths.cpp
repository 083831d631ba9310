#include "playlist.hpp"

int lengthOf(const std::vector<Song> &songs) {
  int seconds = 0;
  for (const Song &song : songs) seconds += song.seconds;
  return seconds;
}

static std::string twoDigits(int number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

std::string clockOf(int seconds) {
  int hours = seconds / 3600;
#if FAULT == 2
  int minutes = seconds / 60;
#else
  int minutes = seconds / 60 % 60;
#endif
  std::string rest = twoDigits(seconds % 60);
  if (hours == 0) return std::to_string(minutes) + ":" + rest;
  return std::to_string(hours) + ":" + twoDigits(minutes) + ":" + rest;
}

std::string summary(const std::vector<Song> &songs) {
  std::string count = std::to_string(songs.size());
  return count + (songs.size() == 1 ? " song, " : " songs, ") + clockOf(lengthOf(songs));
}
