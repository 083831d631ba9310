#pragma once
#include <string>
#include <vector>

struct Car {
  std::string plate;
  int centimetres;
  int kilos;
};

class Lane {
public:
  explicit Lane(int centimetres) : left_(centimetres) {}
  bool take(const Car &car);
  int left() const { return left_; }
  int load() const;

private:
  int left_;
  std::vector<Car> cars_;
};

class Deck {
public:
  explicit Deck(std::vector<int> lanes);
  int board(const Car &car);
  int heel() const;
  size_t waiting() const { return waiting_.size(); }

private:
  std::vector<Lane> lanes_;
  std::vector<Car> waiting_;
};

int classOf(int centimetres);
int fare(const Car &car, bool isReturn);
int takings(const std::vector<Car> &cars);
