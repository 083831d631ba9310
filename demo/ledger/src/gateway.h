#pragma once
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>

#include "payment.h"

namespace settle {

/** The operator may or may not have got the message. */
class ConfirmationLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/** The line to the operators of the channels; it loses an answer now and then. */
class Gateway {
 public:
  explicit Gateway(unsigned seed) : random_(seed) {}

  /** Returns the operator's receipt number. Throws ConfirmationLost. */
  std::uint64_t confirm(const char *paymentId, Channel channel, int attempt);

 private:
  bool answerGetsLost(Channel channel);

  std::mutex lock_;
  std::mt19937 random_;
  std::uint64_t receipts_ = 7'000'000;
};

}  // namespace settle
