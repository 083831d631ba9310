#pragma once
#include "payment.h"

namespace settle {

/** What was agreed with the operator of each channel. */
class Policy {
 public:
  /** How long a booked payment is remembered, so that a retry does not book it again. */
  std::int64_t duplicateWindow(Channel channel) const;

  /** Share of the amount that the operator keeps. */
  double feeRate(Channel channel, std::int64_t cents) const;

  /** How many times a confirmation is asked for. */
  int maxAttempts(Channel channel) const;

  /** Pause before try number `attempt`. */
  int backoffMs(Channel channel, int attempt) const;
};

}  // namespace settle
