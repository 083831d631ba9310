#include "playlist.hpp"

/** The last is followed by the first, and the other way round. */
int wrapped(int at, int count) {
#if FAULT == 1
  return at % count;
#else
  return ((at % count) + count) % count;
#endif
}

void skip(Player &player, int songs) {
  player.at = wrapped(player.at + songs, int(player.songs.size()));
  player.played = 0;
}

void play(Player &player, int seconds) {
  player.played += seconds;
  while (player.played >= current(player).seconds) {
    int over = player.played - current(player).seconds;
    skip(player, 1);
    player.played = over;
  }
}

static int inside(int at, int count) { return at < 0 ? 0 : at < count ? at : count - 1; }

const Song &current(const Player &player) {
  return player.songs[inside(player.at, int(player.songs.size()))];
}
