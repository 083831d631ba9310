#pragma once
#include <string>
#include <vector>

struct Song {
  std::string title;
  int seconds;
};

struct Player {
  std::vector<Song> songs;
  int at = 0;
  int played = 0;
};

int wrapped(int at, int count);
void skip(Player &player, int songs);
void play(Player &player, int seconds);
const Song &current(const Player &player);

int lengthOf(const std::vector<Song> &songs);
std::string clockOf(int seconds);
std::string summary(const std::vector<Song> &songs);
