#include "processor.h"

#include <cmath>
#include <cstdio>

namespace settle {

Processor::Processor(Ledger &ledger, Gateway &gateway, RetryQueue &queue)
    : ledger_(ledger), gateway_(gateway), queue_(queue) {}

void Processor::run() {
  while (auto task = queue_.pop()) {
    switch (settle(task->payment, task->attempt)) {
      case Outcome::settled:
      case Outcome::alreadyBooked: settled_++; break;
      case Outcome::retryLater: retried_++; break;
      case Outcome::givenUp:
        std::fprintf(stderr, "%s: given up after %d tries, for manual clearing\n", task->payment.id,
                     task->attempt);
        break;
    }
  }
}

Outcome Processor::settle(const Payment &payment, int attempt) {
  const bool booked = attempt > 1 && guard_.wasBooked(payment.id);
  if (!booked) book(payment.id, payment.account, payment.cents, payment.channel);
  try {
    gateway_.confirm(payment.id, payment.channel, attempt);
    return booked ? Outcome::alreadyBooked : Outcome::settled;
  } catch (const ConfirmationLost &) {
    return handleLostAnswer(payment, attempt);
  }
}

void Processor::book(const char *paymentId, int account, std::int64_t cents, Channel channel) {
  const double rate = policy_.feeRate(channel, cents);
  const auto fee = static_cast<std::int64_t>(std::llround(static_cast<double>(cents) * rate));
  ledger_.credit(account, cents - fee);
  ledger_.bookFee(fee);
  guard_.remember(paymentId, policy_.duplicateWindow(channel));
}

Outcome Processor::handleLostAnswer(const Payment &payment, int attempt) {
  if (attempt >= policy_.maxAttempts(payment.channel)) return Outcome::givenUp;
  queue_.push(payment, attempt + 1, policy_.backoffMs(payment.channel, attempt));
  return Outcome::retryLater;
}

void Processor::forgetOldBookings() { guard_.forgetExpired(); }

}  // namespace settle
