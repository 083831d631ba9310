/* The socket and its one connection. */
#ifndef STROBE_LINK_H
#define STROBE_LINK_H

#include "wire.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link {
  int listener, connection;
  uint32_t generation; /* raised with each connection */
  uint8_t in[WIRE_MAX_FRAME_BYTES + 4], out[32 << 10];
  size_t in_bytes, out_bytes;
};
int link_open(struct link *link, const char *path); /* 0 or errno */
bool link_accept(struct link *link); /* true: a new connection replaced the old one */
void link_drop(struct link *link);
void link_send(struct link *link, uint8_t type, const uint8_t *payload, uint32_t count);
void link_flush(struct link *link);
/* Reads what is there and hands complete frames over; drops the connection at its end. */
void link_read(struct link *link, void (*frame)(void *, uint8_t, const uint8_t *, uint32_t),
               void *context);

#endif
