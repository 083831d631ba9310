#ifndef BOARD_H
#define BOARD_H

struct player {
  char name[16];
  int score;
  struct player *next;
};

/* Players in the order of their scores; those with the same score in that of their names. */
struct board {
  struct player *first;
};

void board_join(struct board *board, struct player *player);
/* Gives a player another score. */
void board_move(struct board *board, const char *name, int score);
/* How many players are before this one; -1: it is not where it belongs. */
int board_rank(const struct board *board, const char *name, int score);
const struct player *board_find(const struct board *board, const char *name);

#endif
