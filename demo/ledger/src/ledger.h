#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>

namespace settle {

class UnknownAccount : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/** Balances in cents; the fees have an account of their own. */
class Ledger {
 public:
  explicit Ledger(int accounts);

  /** Throws UnknownAccount. Returns the new balance. */
  std::int64_t credit(int account, std::int64_t cents);
  void bookFee(std::int64_t cents);

  /** All balances and fees together. */
  std::int64_t total() const;

 private:
  mutable std::mutex lock_;
  std::map<int, std::int64_t> balances_;
  std::int64_t fees_ = 0;
};

}  // namespace settle
