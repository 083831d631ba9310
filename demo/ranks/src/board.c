#include "board.h"

#include <string.h>

static int is_before(const struct player *player, const char *name, int score) {
  return player->score < score || (player->score == score && strcmp(player->name, name) < 0);
}

void board_join(struct board *board, struct player *player) {
  struct player **at = &board->first;
  while (*at && is_before(*at, player->name, player->score)) at = &(*at)->next;
  player->next = *at;
  *at = player;
}

void board_move(struct board *board, const char *name, int score) {
  struct player *before = NULL, *player = board->first;
  while (strcmp(player->name, name) != 0) {
    before = player;
    player = player->next;
  }
  /* Most moves are small: then a player stays between its neighbours. */
  if ((!before || before->score <= score) && (!player->next || score <= player->next->score)) {
    player->score = score;
    return;
  }
  if (before) before->next = player->next;
  else board->first = player->next;
  player->score = score;
  board_join(board, player);
}

int board_rank(const struct board *board, const char *name, int score) {
  int rank = 0;
  const struct player *player = board->first;
  for (; player && is_before(player, name, score); player = player->next) rank++;
  return player && strcmp(player->name, name) == 0 ? rank : -1;
}

const struct player *board_find(const struct board *board, const char *name) {
  const struct player *player = board->first;
  while (player && strcmp(player->name, name) != 0) player = player->next;
  return player;
}
