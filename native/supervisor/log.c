/*
 * The output log. Records are written at a known offset and taken back when only a part fitted, so
 * the file is readable at every moment. When the disk (or the limit) refuses, output is read all
 * the same, so that the target is not held up, and counted; facts of the target's life wait in
 * memory.
 */
#define _GNU_SOURCE
#include "log.h"
#include "bytes.h"
#include "clock.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int log_open(struct log *log, int folder, uint64_t max_output) {
  log->fd = openat(folder, "output.log", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  log->max_output = max_output;
  return log->fd < 0 ? errno : 0;
}

/* Kept free of what is long, for ends. */
#define ROOM_FOR_ENDS (8 << 10)

static void head(uint8_t *at, uint8_t type, uint64_t ns, uint32_t count) {
  memset(at, 0, LOG_BYTES);
  put32(at + LOG_AT_LENGTH, count);
  at[LOG_AT_TYPE] = type;
  put64(at + LOG_AT_TIME, ns);
}

static bool store(struct log *log, const uint8_t *first, size_t a, const uint8_t *second,
                  size_t b) {
  struct iovec parts[2] = {{(void *)first, a}, {(void *)second, b}};
  ssize_t written;
  do written = pwritev(log->fd, parts, 2, (off_t)log->size);
  while (written < 0 && errno == EINTR);
  if (written == (ssize_t)(a + b)) {
    log->size += a + b;
    return true;
  }
  if (written > 0 && ftruncate(log->fd, (off_t)log->size) < 0) return false;
  return false;
}

bool log_retry(struct log *log) {
  if (log->lost > 0) {
    uint8_t record[LOG_BYTES + 8];
    head(record, LOG_LOST, monotonic_ns(), 8);
    put64(record + LOG_BYTES, log->lost);
    if (!store(log, record, sizeof record, NULL, 0)) return false;
    log->lost = 0;
  }
  if (log->waiting_bytes > 0) {
    if (!store(log, log->waiting, log->waiting_bytes, NULL, 0)) return false;
    log->waiting_bytes = 0;
  }
  if (log->facts_lost > 0) {
    uint8_t record[LOG_BYTES + 8];
    head(record, LOG_UNKEPT, monotonic_ns(), 8);
    put64(record + LOG_BYTES, log->facts_lost);
    if (!store(log, record, sizeof record, NULL, 0)) return false;
    log->facts_lost = 0;
  }
  return true;
}

void log_forget(struct log *log) { log->forgets = true; }

void log_output(struct log *log, uint8_t type, const uint8_t *bytes, uint32_t count) {
  if (log->forgets) return;
  uint8_t start[LOG_BYTES];
  head(start, type, monotonic_ns(), count);
  bool full = log->max_output > 0 && log->size + count > log->max_output;
  if (full || !log_retry(log) || !store(log, start, sizeof start, bytes, count)) log->lost += count;
}

void log_fact(struct log *log, uint8_t type, uint64_t ns, const uint8_t *payload, uint32_t count) {
  uint8_t start[LOG_BYTES];
  head(start, type, ns, count);
  if (log_retry(log) && store(log, start, sizeof start, payload, count)) return;
  size_t room = sizeof log->waiting - (type == LOG_EXEC || type == LOG_FORKED ? ROOM_FOR_ENDS : 0);
  if (log->waiting_bytes + sizeof start + count > room) {
    log->facts_lost++;
    return;
  }
  memcpy(log->waiting + log->waiting_bytes, start, sizeof start);
  if (count > 0) memcpy(log->waiting + log->waiting_bytes + sizeof start, payload, count);
  log->waiting_bytes += sizeof start + count;
}

/* The size may have been noted before the last record was written, and that may be torn. */
void log_inherit(struct log *log) {
  uint8_t start[LOG_BYTES];
  off_t end = lseek(log->fd, 0, SEEK_END);
  while (pread(log->fd, start, sizeof start, (off_t)log->size) == (ssize_t)sizeof start) {
    uint64_t next = log->size + LOG_BYTES + get32(start + LOG_AT_LENGTH);
    if (next > (uint64_t)end) break;
    log->size = next;
  }
  if (ftruncate(log->fd, (off_t)log->size) < 0) return; /* a torn record is written over */
}
