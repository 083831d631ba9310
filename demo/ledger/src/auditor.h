#pragma once
#include "intake.h"
#include "ledger.h"

namespace settle {

/** Compares what the ledger holds with what was paid in. */
class Auditor {
 public:
  Auditor(const Ledger &ledger, const Intake &intake) : ledger_(ledger), intake_(intake) {}

  /** Cents the ledger has too much; payments still on their way make it less than nothing. */
  std::int64_t surplus() const;
  /** Complains on stdout when the surplus grew. */
  bool check();

 private:
  const Ledger &ledger_;
  const Intake &intake_;
  std::int64_t reported_ = 0;
};

}  // namespace settle
