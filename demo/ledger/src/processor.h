#pragma once
#include <atomic>

#include "duplicateGuard.h"
#include "gateway.h"
#include "ledger.h"
#include "policy.h"
#include "retryQueue.h"

namespace settle {

/** Books payments and has them confirmed, on any number of threads. */
class Processor {
 public:
  Processor(Ledger &ledger, Gateway &gateway, RetryQueue &queue);

  /** Loop of one settler thread; ends when the queue is closed. */
  void run();

  void forgetOldBookings();
  long settled() const { return settled_.load(); }
  long retried() const { return retried_.load(); }

 private:
  Outcome settle(const Payment &payment, int attempt);
  void book(const char *paymentId, int account, std::int64_t cents, Channel channel);
  Outcome handleLostAnswer(const Payment &payment, int attempt);

  Policy policy_;
  DuplicateGuard guard_;
  Ledger &ledger_;
  Gateway &gateway_;
  RetryQueue &queue_;
  std::atomic<long> settled_{0};
  std::atomic<long> retried_{0};
};

}  // namespace settle
