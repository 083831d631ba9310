#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <queue>
#include <vector>

#include "payment.h"

namespace settle {

struct Task {
  Payment payment;
  int attempt;
};

/** Work for the settlers, each piece not before its time. */
class RetryQueue {
 public:
  void push(const Payment &payment, int attempt, int delayMs);
  /** Waits for the next piece that is due; nothing after close(). */
  std::optional<Task> pop();
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Clock::time_point due;
    Task task;
    bool operator<(const Entry &other) const { return due > other.due; }
  };
  std::mutex lock_;
  std::condition_variable changed_;
  std::priority_queue<Entry, std::vector<Entry>> entries_;
  bool closed_ = false;
};

}  // namespace settle
