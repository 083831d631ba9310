#include "intake.h"

#include <cstdio>

namespace settle {

const char *name(Channel channel) {
  switch (channel) {
    case Channel::card: return "card";
    case Channel::wallet: return "wallet";
    case Channel::transfer: return "transfer";
  }
  return "?";
}

Intake::Intake(RetryQueue &queue, unsigned seed, int accounts)
    : queue_(queue), random_(seed), accounts_(accounts) {}

Channel Intake::pickChannel() {
  const unsigned dice = random_() % 100;
  if (dice < 50) return Channel::card;
  return dice < 75 ? Channel::wallet : Channel::transfer;
}

void Intake::acceptOne() {
  Payment payment{};
  payment.channel = pickChannel();
  payment.account = 1 + static_cast<int>(random_() % static_cast<unsigned>(accounts_));
  payment.cents = 150 + static_cast<std::int64_t>(random_() % 25'000);
  std::snprintf(payment.id, sizeof payment.id, "%.2s-%06ld", name(payment.channel), ++count_);
  cents_ += payment.cents;
  queue_.push(payment, 1, 0);
}

}  // namespace settle
