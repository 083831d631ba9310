#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "chess.hpp"

TEST_CASE("squares have names") { REQUIRE(nameOf(squareOf("c5")) == "c5"); }

TEST_CASE("a knight in the corner") {
  Board board;
  board.put('N', "a1");
  REQUIRE(movesOf(board, "a1") == std::vector<std::string>{"b3", "c2"});
}

TEST_CASE("a rook sees to the edges") {
  Board board;
  board.put('R', "d4");
  REQUIRE(movesOf(board, "d4").size() == 14);
}

TEST_CASE("a pawn of white strikes ahead") {
  Board board;
  board.put('P', "e4");
  REQUIRE(isAttacked(board, "d5", true));
  REQUIRE_FALSE(isAttacked(board, "e5", true));
}

#if FAULT == 1
TEST_CASE("a rook behind a pawn of its own") {
  Board board;
  board.put('R', "a1");
  board.put('P', "a3");
  board.put('n', "c7");
  REQUIRE_FALSE(isAttacked(board, "a8", true));
}
#else
TEST_CASE("a pawn of black strikes towards white") {
  Board board;
  board.put('p', "e5");
  board.put('R', "h8");
  REQUIRE(isAttacked(board, "f4", false));
}
#endif
