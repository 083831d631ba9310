#include "duplicateGuard.h"

namespace settle {

void DuplicateGuard::remember(const char *paymentId, std::int64_t windowMs) {
  const auto until = Clock::now() + std::chrono::milliseconds(windowMs);
  std::lock_guard<std::mutex> guard(lock_);
  until_[paymentId] = until;
}

bool DuplicateGuard::wasBooked(const char *paymentId) {
  std::lock_guard<std::mutex> guard(lock_);
  const auto found = until_.find(paymentId);
  return found != until_.end() && found->second > Clock::now();
}

int DuplicateGuard::forgetExpired() {
  const auto now = Clock::now();
  std::lock_guard<std::mutex> guard(lock_);
  int dropped = 0;
  for (auto entry = until_.begin(); entry != until_.end();) {
    if (entry->second <= now) {
      entry = until_.erase(entry);
      dropped++;
    } else {
      ++entry;
    }
  }
  return dropped;
}

}  // namespace settle
