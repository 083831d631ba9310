/* The output of the target. */
#ifndef STROBE_STREAMS_H
#define STROBE_STREAMS_H

#include "log.h"
#include "target.h"
#include "wire.h"
#include <stdbool.h>
#include <stdint.h>

enum { READ_MARK_BYTES = 16 };
struct reading {  /* shared with the standby */
  uint32_t count; /* of a read that is not in the log yet; 0 = none */
  uint8_t stream, mark[READ_MARK_BYTES];
  uint64_t log_size; /* before it */
  uint8_t bytes[WIRE_MAX_OUTPUT_BYTES];
};
bool stream_read(struct target *target, struct log *log, struct reading *reading,
                 uint8_t stream); /* false: nothing is left just now */
void stream_close(struct target *target, struct log *log, uint8_t stream);
void streams_drain(struct target *target, struct log *log, struct reading *reading);
void streams_inherit(struct target *target, struct log *log, struct reading *reading);

#endif
