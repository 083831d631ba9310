#include "kiln.h"

#define SIZE ((int)(sizeof((struct log *)0)->values / sizeof(int)))

static int slot(const struct log *log, int at) {
#if FAULT == 3
  return (log->first + at) % (SIZE - 1);
#else
  return (log->first + at) % SIZE;
#endif
}

void log_put(struct log *log, int value) {
  if (log->count < SIZE) {
    log->values[slot(log, log->count)] = value;
    log->count++;
    return;
  }
  log->values[log->first] = value;
  log->first = slot(log, 1);
}

int log_at(const struct log *log, int back) {
  return back < log->count ? log->values[slot(log, log->count - 1 - back)] : -1;
}

int log_mean(const struct log *log) {
  int sum = 0;
  for (int back = 0; back < log->count; back++) sum += log_at(log, back);
  return log->count ? sum / log->count : 0;
}
