#pragma once
#include <atomic>
#include <cstdint>
#include <random>

#include "retryQueue.h"

namespace settle {

/** Takes payments in, as shops would send them, and keeps the sum of what was accepted. */
class Intake {
 public:
  Intake(RetryQueue &queue, unsigned seed, int accounts);

  /** Accepts the next payment. */
  void acceptOne();
  std::int64_t acceptedCents() const { return cents_.load(); }
  long accepted() const { return count_.load(); }

 private:
  Channel pickChannel();

  RetryQueue &queue_;
  std::mt19937 random_;
  int accounts_;
  std::atomic<std::int64_t> cents_{0};
  std::atomic<long> count_{0};
};

}  // namespace settle
