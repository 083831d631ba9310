/*
 * What the target writes, from its pipes or its terminal into the log. A supervisor may be killed
 * between reading and writing down; so that nothing is lost then nor kept twice, the bytes lie in
 * memory its heir sees, and before each read it is noted how many will come: as many as wait, as
 * nobody else reads. A mark where they will lie tells whether they came.
 */
#define _GNU_SOURCE
#include "streams.h"
#include "bytes.h"
#include "clock.h"
#include "log.h"
#include "standbyLine.h"
#include "target.h"
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

static int *stream_fd(struct target *target, uint8_t stream) {
  return stream == LOG_STDOUT ? &target->out : &target->err;
}

void stream_close(struct target *target, struct log *log, uint8_t stream) {
  uint8_t payload[4];
  int *fd = stream_fd(target, stream);
  if (*fd < 0) return;
  close(*fd);
  *fd = -1;
  standby_drop(stream == LOG_STDOUT ? KEPT_OUT : KEPT_ERR);
  put32(payload, stream);
  log_fact(log, LOG_CLOSED, monotonic_ns(), payload, sizeof payload);
}

static uint32_t waiting_bytes(int fd) {
  int count = 0;
  if (ioctl(fd, FIONREAD, &count) < 0 || count < 0) return 0;
  return (uint32_t)count < WIRE_MAX_OUTPUT_BYTES ? (uint32_t)count : WIRE_MAX_OUTPUT_BYTES;
}

static uint32_t mark_bytes(uint32_t count) {
  return count < READ_MARK_BYTES ? count : READ_MARK_BYTES;
}

static void note_read(struct reading *reading, const struct log *log, uint8_t stream,
                      uint32_t count) {
  if (reading->mark[0] == 0 && getrandom(reading->mark, sizeof reading->mark, 0) < 0) return;
  memcpy(reading->bytes, reading->mark, mark_bytes(count));
  reading->stream = stream;
  reading->log_size = log->size;
  __atomic_store_n(&reading->count, count, __ATOMIC_RELEASE);
}

bool stream_read(struct target *target, struct log *log, struct reading *reading, uint8_t stream) {
  int fd = *stream_fd(target, stream);
  if (fd < 0) return false;
  uint32_t count = waiting_bytes(fd);
  if (count == 0) {
    /* An end; or bytes that a terminal counts only after it was asked whether there are any. */
    struct pollfd slot = {fd, POLLIN, 0};
    if (poll(&slot, 1, 0) <= 0) return false;
    count = slot.revents & POLLIN ? waiting_bytes(fd) : 0;
  }
  note_read(reading, log, stream, count);
  ssize_t got = read(fd, reading->bytes, count > 0 ? count : sizeof reading->bytes);
  if (got > 0) log_output(log, stream, reading->bytes, (uint32_t)got);
  __atomic_store_n(&reading->count, 0, __ATOMIC_RELEASE);
  if (got > 0) return true;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  stream_close(target, log, stream);
  return false;
}

/* What was written before an exit comes before it in the log. Bounded: others may go on writing. */
void streams_drain(struct target *target, struct log *log, struct reading *reading) {
  for (int i = 0; i < 64 && stream_read(target, log, reading, LOG_STDOUT); i++) {
  }
  for (int i = 0; i < 64 && stream_read(target, log, reading, LOG_STDERR); i++) {
  }
}

void streams_inherit(struct target *target, struct log *log, struct reading *reading) {
  uint32_t count = reading->count;
  int fd = *stream_fd(target, reading->stream);
  reading->count = 0;
  if (count == 0 || log->size != reading->log_size) return; /* it is in the log */
  bool came = memcmp(reading->bytes, reading->mark, mark_bytes(count)) != 0;
  if (came || (fd >= 0 && waiting_bytes(fd) < count))
    log_output(log, reading->stream, reading->bytes, count);
}
