/* See stop.h. */
#include "stop.h"
#include "stopBySignal.h"
#include "stopByTrace.h"
#include "stopWork.h"

int stop_threads(const struct stop_work *work) {
  int stopped = stop_by_trace(work);
  if (stopped == STOP_LATE) stopped = stop_by_trace(work);
  return stopped == STOP_HELD ? stop_by_signal(work) : stopped;
}
