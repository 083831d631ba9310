#pragma once
#include <string>
#include <vector>

struct Ride {
  int fromZone;
  int toZone;
  int minute;
};

int zonesOf(const Ride &ride);
bool isPeak(int minute);
int priceOf(const Ride &ride);

/** Rides of one day; none costs more together than a day ticket. */
class Card {
public:
  explicit Card(int dayTicket) : dayTicket(dayTicket) {}
  void ride(const Ride &ride);
  int charged() const;
  std::string statement() const;

private:
  int open() const;
  int dayTicket;
  std::vector<int> charges;
};
