#pragma once
#include <string>
#include <vector>

struct Bed {
  std::string plant;
  double litres;
  double needed;
};

double evaporated(int month, double hours);
void dry(std::vector<Bed> &beds, int month, double hours);
void rain(std::vector<Bed> &beds, double litres);
double missing(const Bed &bed);
std::vector<std::string> waterOrder(std::vector<Bed> beds);
double poured(std::vector<Bed> &beds, double tank);
