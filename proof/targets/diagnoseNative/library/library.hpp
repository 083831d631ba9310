#pragma once
#include <map>
#include <string>
#include <vector>

struct Loan {
  std::string reader;
  std::string book;
  int day;
  int renewals;
};

class Shelf {
public:
  void add(const std::string &book, int copies);
  bool take(const std::string &book);
  void put(const std::string &book);
  int copies(const std::string &book) const;

private:
  std::map<std::string, int> copies_;
};

class Desk {
public:
  explicit Desk(Shelf &shelf) : shelf_(shelf) {}
  bool lend(const std::string &reader, const std::string &book, int day);
  bool renew(const std::string &book, int day);
  int giveBack(const std::string &book, int day);
  std::vector<std::string> overdue(int day) const;

private:
  Shelf &shelf_;
  std::vector<Loan> loans_;
};

int dueOn(const Loan &loan);
int fineFor(const Loan &loan, int day);
