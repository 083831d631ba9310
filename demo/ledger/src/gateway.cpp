#include "gateway.h"

#include <chrono>
#include <string>
#include <thread>

namespace settle {

bool Gateway::answerGetsLost(Channel channel) {
  const unsigned perMille = channel == Channel::transfer ? 180 : 60;
  std::lock_guard<std::mutex> guard(lock_);
  return random_() % 1000 < perMille;
}

std::uint64_t Gateway::confirm(const char *paymentId, Channel channel, int attempt) {
  std::this_thread::sleep_for(std::chrono::microseconds(channel == Channel::transfer ? 900 : 400));
  if (answerGetsLost(channel)) {
    throw ConfirmationLost(std::string(paymentId) + ": no answer to try " + std::to_string(attempt));
  }
  std::lock_guard<std::mutex> guard(lock_);
  return ++receipts_;
}

}  // namespace settle
