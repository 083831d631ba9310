#include "ferry.hpp"

static const int prices[] = {3200, 4100, 5600, 9000};
static const int limits[] = {420, 520, 700};

int classOf(int centimetres) {
  int number = 0;
#if FAULT == 2
  while (number < 3 && centimetres >= limits[number]) number++;
#else
  while (number < 3 && centimetres > limits[number]) number++;
#endif
  return number;
}

static int heavySurcharge(int kilos) { return kilos > 3500 ? (kilos - 3500) / 100 * 50 : 0; }

int fare(const Car &car, bool isReturn) {
  int price = prices[classOf(car.centimetres)] + heavySurcharge(car.kilos);
  return isReturn ? price * 9 / 5 : price;
}

int takings(const std::vector<Car> &cars) {
  int sum = 0;
  for (const Car &car : cars) sum += fare(car, false);
  return sum;
}
