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
  uint8_t in[WIRE_MAX_FRAME_BYTES + 4], out[128 << 10];
  size_t in_bytes, out_bytes;
};
/* Kept free for what has to be sent: answers, and what became of processes that were to be held. */
enum { LINK_RESERVE_BYTES = 64 << 10 };
int link_open(struct link *link, const char *path); /* 0 or errno */
bool link_accept(struct link *link); /* true: a new connection replaced the old one */
void link_drop(struct link *link);
/* A daemon that is slow, or stopped, is not sent more than it has room for: no requests are taken
 * from it meanwhile, and no execs are told. */
bool link_has_room(const struct link *link);
void link_send(struct link *link, uint8_t type, const uint8_t *payload, uint32_t count);
void link_flush(struct link *link);
typedef void link_taker(void *context, uint8_t type, const uint8_t *payload, uint32_t count);
/* Reads what is there; drops the connection at its end. */
void link_read(struct link *link);
/* Hands complete frames over, as long as there is room for answers. */
void link_take(struct link *link, link_taker *take, void *context);

#endif
