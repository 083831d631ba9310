#pragma once
#include <string>
#include <vector>

struct Parcel {
  int grams;
  int length;
  int width;
  int height;
};

struct Zone {
  std::string name;
  int base;
  int perKilo;
};

int volumeWeight(const Parcel &parcel);
int billedGrams(const Parcel &parcel);
int startedKilos(int grams);
Zone zoneOf(const std::string &country);
int surcharge(const Parcel &parcel, const Zone &zone);
int price(const Parcel &parcel, const std::string &country);
int priceOfAll(const std::vector<Parcel> &parcels, const std::string &country);
