#include "retryQueue.h"

namespace settle {

void RetryQueue::push(const Payment &payment, int attempt, int delayMs) {
  std::lock_guard<std::mutex> guard(lock_);
  entries_.push({Clock::now() + std::chrono::milliseconds(delayMs), {payment, attempt}});
  changed_.notify_one();
}

std::optional<Task> RetryQueue::pop() {
  std::unique_lock<std::mutex> guard(lock_);
  while (!closed_) {
    if (entries_.empty()) {
      changed_.wait(guard);
    } else if (entries_.top().due > Clock::now()) {
      const auto due = entries_.top().due;
      changed_.wait_until(guard, due);
    } else {
      Task task = entries_.top().task;
      entries_.pop();
      return task;
    }
  }
  return std::nullopt;
}

void RetryQueue::close() {
  std::lock_guard<std::mutex> guard(lock_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace settle
