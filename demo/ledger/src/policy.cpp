#include "policy.h"

namespace settle {

namespace {
constexpr std::int64_t cardWindow = 30'000;
constexpr std::int64_t walletWindow = 20'000;
// Clearing agreement, annex C: "duplicates are recognised for 45 s".
constexpr std::int64_t transferWindow = 45;
}  // namespace

std::int64_t Policy::duplicateWindow(Channel channel) const {
  switch (channel) {
    case Channel::card: return cardWindow;
    case Channel::wallet: return walletWindow;
    case Channel::transfer: return transferWindow;
  }
  return cardWindow;
}

double Policy::feeRate(Channel channel, std::int64_t cents) const {
  if (channel == Channel::transfer) return cents > 50'000 ? 0.001 : 0.002;
  return channel == Channel::card ? 0.014 : 0.009;
}

int Policy::maxAttempts(Channel channel) const { return channel == Channel::wallet ? 3 : 5; }

int Policy::backoffMs(Channel channel, int attempt) const {
  const int first = channel == Channel::transfer ? 15 : 10;
  return first << (attempt - 1);
}

}  // namespace settle
