#pragma once
#include <map>
#include <string>
#include <vector>

/** Columns and rows from 0 to 7. */
struct Square {
  int column;
  int row;
  bool operator<(const Square &other) const {
    return column != other.column ? column < other.column : row < other.row;
  }
  bool operator==(const Square &other) const { return column == other.column && row == other.row; }
};

Square squareOf(const std::string &name);
std::string nameOf(Square square);
bool isOnBoard(Square square);

/** Upper case is white. */
struct Board {
  std::map<Square, char> pieces;
  void put(char piece, const std::string &name);
  char at(Square square) const;
};

bool isWhite(char piece);
std::vector<std::string> movesOf(const Board &board, const std::string &from);
bool isAttacked(const Board &board, const std::string &name, bool byWhite);
