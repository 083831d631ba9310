#include "auditor.h"

#include <cstdio>

namespace settle {

std::int64_t Auditor::surplus() const {
  const std::int64_t held = ledger_.total();
  return held - intake_.acceptedCents();
}

bool Auditor::check() {
  const std::int64_t now = surplus();
  if (now <= reported_) return true;
  reported_ = now;
  std::printf("AUDIT ledger out of balance: holds %.2f EUR more than was paid in (%ld payments)\n",
              static_cast<double>(now) / 100.0, intake_.accepted());
  std::fflush(stdout);
  return false;
}

}  // namespace settle
