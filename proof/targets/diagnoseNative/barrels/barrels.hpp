#pragma once
#include <string>
#include <vector>

struct Barrel {
  std::string wine;
  int litres;
  int year;
};

struct Order {
  std::string wine;
  int litres;
};

class Cellar {
 public:
  void store(Barrel barrel);
  /* Takes wine, the oldest barrels first; gives what each barrel gave. */
  std::vector<int> serve(const Order &order);
  int left(const std::string &wine) const;

 private:
  std::vector<Barrel> barrels_;
};

int draw(Barrel &barrel, int litres);
int bottlesFor(int litres);
int priceOf(const std::vector<int> &parts, int centsPerBottle);
int discounted(int cents, int bottles);
int label(const std::string &wine, int year);
