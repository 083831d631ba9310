#include "chess.hpp"

Square squareOf(const std::string &name) { return {name[0] - 'a', name[1] - '1'}; }

std::string nameOf(Square square) { return {char('a' + square.column), char('1' + square.row)}; }

bool isOnBoard(Square square) {
  return square.column >= 0 && square.column < 8 && square.row >= 0 && square.row < 8;
}

void Board::put(char piece, const std::string &name) { pieces[squareOf(name)] = piece; }

char Board::at(Square square) const {
  auto found = pieces.find(square);
  return found == pieces.end() ? ' ' : found->second;
}

bool isWhite(char piece) { return piece >= 'A' && piece <= 'Z'; }
