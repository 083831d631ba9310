/* A game's board: scores change, and players ask for their ranks. usage: ranks [seconds]   (without
 * it: until stopped) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "board.h"

enum { PLAYERS = 40, HIGHEST = 80, MOVES_A_SECOND = 200 };

static int below(int limit) {
  static unsigned seed = 11;
  seed = seed * 1103515245u + 12345u;
  return (int)(seed >> 16) % limit;
}

static void name_of(char *name, int number) { snprintf(name, 16, "player-%02d", number); }

static void move_one(struct board *board) {
  char name[16];
  name_of(name, below(PLAYERS));
  board_move(board, name, board_find(board, name)->score + below(7) - 3);
}

static void audit(const struct board *board) {
  for (int i = 0; i < PLAYERS; i++) {
    char name[16];
    name_of(name, i);
    const struct player *player = board_find(board, name);
    if (board_rank(board, name, player->score) >= 0) continue;
    printf("AUDIT %s has %d points and no rank\n", name, player->score);
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  int seconds = argc > 1 ? atoi(argv[1]) : 0;
  static struct player players[PLAYERS];
  struct board board = {NULL};
  for (int i = 0; i < PLAYERS; i++) {
    name_of(players[i].name, i);
    players[i].score = below(HIGHEST);
    board_join(&board, &players[i]);
  }
  struct timespec pause = {0, 1000000000 / MOVES_A_SECOND};
  for (int moves = 1; !seconds || moves <= seconds * MOVES_A_SECOND; moves++) {
    move_one(&board);
    if (moves % 50 == 0) audit(&board);
    nanosleep(&pause, NULL);
  }
}
