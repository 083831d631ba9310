#include "library.hpp"

static const int weeks = 3;
static const int longer = 14;

int dueOn(const Loan &loan) {
  int days = weeks * 7;
#if FAULT == 1
  if (loan.renewals > 0) days += longer;
#else
  days += loan.renewals * longer;
#endif
  return loan.day + days;
}

int fineFor(const Loan &loan, int day) {
  int late = day - dueOn(loan);
  if (late <= 0) return 0;
  return late > 30 ? 1000 : late * 20;
}
