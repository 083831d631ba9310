#pragma once
#include <map>
#include <string>
#include <vector>

struct Bin {
  std::string place;
  int room;
  int pieces;
};

struct Reservation {
  int number;
  std::string item;
  std::map<std::string, int> taken;
};

class Stock {
 public:
  void addBin(const std::string &item, const Bin &bin);
  /* How many found no room. */
  int put(const std::string &item, int pieces);
  /* The number of the reservation; 0: there is too little. */
  int reserve(const std::string &item, int pieces);
  void release(int number);
  int available(const std::string &item) const;
  int toOrder(const std::string &item, int wanted, int perPack) const;
  std::string fullest(const std::string &item) const;

 private:
  std::map<std::string, std::vector<Bin>> bins_;
  std::vector<Reservation> reservations_;
  int last_ = 0;
};

int roomLeft(const Bin &bin);
int packsFor(int pieces, int perPack);
Bin *binAt(std::vector<Bin> &bins, const std::string &place);
