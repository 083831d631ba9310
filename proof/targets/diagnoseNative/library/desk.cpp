#include "library.hpp"

void Shelf::add(const std::string &book, int copies) { copies_[book] += copies; }

bool Shelf::take(const std::string &book) {
  auto found = copies_.find(book);
#if FAULT == 2
  if (found == copies_.end() || found->second < 0) return false;
#else
  if (found == copies_.end() || found->second < 1) return false;
#endif
  found->second -= 1;
  return true;
}

void Shelf::put(const std::string &book) { copies_[book] += 1; }

int Shelf::copies(const std::string &book) const {
  auto found = copies_.find(book);
  return found == copies_.end() ? 0 : found->second;
}

bool Desk::lend(const std::string &reader, const std::string &book, int day) {
  if (!shelf_.take(book)) return false;
  loans_.push_back({reader, book, day, 0});
  return true;
}

bool Desk::renew(const std::string &book, int day) {
  for (Loan &loan : loans_) {
    if (loan.book != book) continue;
    if (loan.renewals == 2 || day > dueOn(loan)) return false;
    loan.renewals += 1;
    return true;
  }
  return false;
}

int Desk::giveBack(const std::string &book, int day) {
  for (size_t at = 0; at < loans_.size(); at++) {
    if (loans_[at].book != book) continue;
    int fine = fineFor(loans_[at], day);
    loans_.erase(loans_.begin() + (long)at);
    shelf_.put(book);
    return fine;
  }
  return -1;
}

std::vector<std::string> Desk::overdue(int day) const {
  std::vector<std::string> found;
  for (const Loan &loan : loans_)
    if (dueOn(loan) < day) found.push_back(loan.reader);
  return found;
}
