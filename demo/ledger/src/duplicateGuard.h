#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace settle {

/** Remembers which payments were booked, each for its own time. */
class DuplicateGuard {
 public:
  void remember(const char *paymentId, std::int64_t windowMs);
  bool wasBooked(const char *paymentId);
  /** Drops what is too old; returns how many. */
  int forgetExpired();

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex lock_;
  std::unordered_map<std::string, Clock::time_point> until_;
};

}  // namespace settle
