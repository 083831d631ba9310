/* The log of a session's output. */
#ifndef STROBE_LOG_H
#define STROBE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log {
  int fd;
  uint64_t size, max_output, lost, facts_lost;
  bool forgets;
  uint8_t waiting[32 << 10]; /* facts the disk did not take yet */
  size_t waiting_bytes;
};
int log_open(struct log *log, int folder, uint64_t max_output); /* 0 or errno */
void log_output(struct log *log, uint8_t type, const uint8_t *bytes, uint32_t count);
void log_fact(struct log *log, uint8_t type, uint64_t ns, const uint8_t *payload, uint32_t count);
void log_forget(struct log *log);  /* output is no longer kept, nor counted as lost */
bool log_retry(struct log *log);   /* true when nothing waits any more */
void log_inherit(struct log *log); /* its writer was killed: takes a torn record back */

#endif
