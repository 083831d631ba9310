#include "fares.hpp"
#include <algorithm>

void Card::ride(const Ride &ride) { charges.push_back(std::min(priceOf(ride), open())); }

/** What may still be charged today. */
int Card::open() const {
#if FAULT == 2
  if (charges.empty()) return dayTicket;
  return dayTicket - charges.back();
#else
  return dayTicket - charged();
#endif
}

int Card::charged() const {
  int cents = 0;
  for (int charge : charges) cents += charge;
  return cents;
}

std::string Card::statement() const {
  std::string text;
  for (int charge : charges) text += std::to_string(charge) + " ";
  return text + "= " + std::to_string(charged());
}
