#include "ledger.h"

#include <string>

namespace settle {

Ledger::Ledger(int accounts) {
  for (int account = 1; account <= accounts; account++) balances_[account] = 0;
}

std::int64_t Ledger::credit(int account, std::int64_t cents) {
  std::lock_guard<std::mutex> guard(lock_);
  const auto found = balances_.find(account);
  if (found == balances_.end()) throw UnknownAccount("no account " + std::to_string(account));
  found->second += cents;
  return found->second;
}

void Ledger::bookFee(std::int64_t cents) {
  std::lock_guard<std::mutex> guard(lock_);
  fees_ += cents;
}

std::int64_t Ledger::total() const {
  std::lock_guard<std::mutex> guard(lock_);
  std::int64_t sum = fees_;
  for (const auto &[account, balance] : balances_) sum += balance;
  return sum;
}

}  // namespace settle
