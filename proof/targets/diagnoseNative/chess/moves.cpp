#include "chess.hpp"
#include <algorithm>

static const std::vector<Square> straight = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
static const std::vector<Square> leaps = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

static void slide(const Board &board, Square from, Square step, std::vector<std::string> &found) {
  bool white = isWhite(board.at(from));
  for (Square at = {from.column + step.column, from.row + step.row}; isOnBoard(at);
       at = {at.column + step.column, at.row + step.row}) {
    char there = board.at(at);
#if FAULT == 1
    if (there != ' ' && isWhite(there) == white) continue;
#else
    if (there != ' ' && isWhite(there) == white) return;
#endif
    found.push_back(nameOf(at));
    if (there != ' ') return;
  }
}

static void leap(const Board &board, Square from, std::vector<std::string> &found) {
  bool white = isWhite(board.at(from));
  for (Square step : leaps) {
    Square at = {from.column + step.column, from.row + step.row};
    if (!isOnBoard(at)) continue;
    char there = board.at(at);
    if (there == ' ' || isWhite(there) != white) found.push_back(nameOf(at));
  }
}

static void strike(const Board &board, Square from, std::vector<std::string> &found) {
#if FAULT == 2
  int ahead = 1;
#else
  int ahead = isWhite(board.at(from)) ? 1 : -1;
#endif
  for (int side : {-1, 1}) {
    Square at = {from.column + side, from.row + ahead};
    if (isOnBoard(at)) found.push_back(nameOf(at));
  }
}

std::vector<std::string> movesOf(const Board &board, const std::string &from) {
  std::vector<std::string> found;
  Square square = squareOf(from);
  switch (board.at(square)) {
    case 'R': case 'r':
      for (Square step : straight) slide(board, square, step, found);
      break;
    case 'N': case 'n': leap(board, square, found); break;
    case 'P': case 'p': strike(board, square, found); break;
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool isAttacked(const Board &board, const std::string &name, bool byWhite) {
  for (const auto &[square, piece] : board.pieces) {
    if (isWhite(piece) != byWhite) continue;
    auto moves = movesOf(board, nameOf(square));
    if (std::find(moves.begin(), moves.end(), name) != moves.end()) return true;
  }
  return false;
}
