/* The supervisor's socket: one connection at a time, frames both ways, nothing ever blocks. */
#define _GNU_SOURCE
#include "link.h"
#include "bytes.h"
#include "wire.h"
#include "words.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int link_open(struct link *link, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  link->connection = -1;
  if (strlen(path) > WIRE_MAX_SOCKET_PATH) return ENAMETOOLONG;
  strcpy(address.sun_path, path);
  link->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (link->listener < 0) return errno;
  if (bind(link->listener, (struct sockaddr *)&address, sizeof address) < 0) return errno;
  if (chmod(path, 0600) < 0 || listen(link->listener, 4) < 0) return errno;
  return 0;
}

void link_drop(struct link *link) {
  if (link->connection >= 0) close(link->connection);
  link->connection = -1;
  link->in_bytes = link->out_bytes = 0;
}

bool link_accept(struct link *link) {
  int fresh = accept4(link->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fresh < 0) return false;
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  bool own = getsockopt(fresh, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
  if (!own) {
    say("A connection of user %d was refused.\n", (int)peer.uid);
    close(fresh);
    return false;
  }
  if (link->connection >= 0) say("A daemon was let go: another connected.\n");
  link_drop(link);
  link->connection = fresh;
  link->generation++;
  return true;
}

void link_flush(struct link *link) {
  while (link->connection >= 0 && link->out_bytes > 0) {
    ssize_t sent = send(link->connection, link->out, link->out_bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) {
      link_drop(link);
      return;
    }
    link->out_bytes -= (size_t)sent;
    memmove(link->out, link->out + sent, link->out_bytes);
  }
}

bool link_has_room(const struct link *link) {
  return link->connection >= 0 && link->out_bytes <= sizeof link->out - LINK_RESERVE_BYTES;
}

void link_send(struct link *link, uint8_t type, const uint8_t *payload, uint32_t count) {
  if (link->connection < 0) return;
  if (link->out_bytes + 5 + count > sizeof link->out) {
    say("A daemon was let go: it reads no answers.\n");
    link_drop(link);
    return;
  }
  uint8_t *at = link->out + link->out_bytes;
  put32(at, count + 1);
  at[4] = type;
  memcpy(at + 5, payload, count);
  link->out_bytes += 5 + count;
  link_flush(link);
}

void link_read(struct link *link) {
  ssize_t got =
      recv(link->connection, link->in + link->in_bytes, sizeof link->in - link->in_bytes, 0);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) link_drop(link);
  else link->in_bytes += (size_t)got;
}

void link_take(struct link *link, link_taker *take, void *context) {
  size_t at = 0;
  uint32_t generation = link->generation;
  while (link->in_bytes - at >= 5 && link_has_room(link)) {
    uint32_t length = get32(link->in + at);
    if (length == 0 || length > WIRE_MAX_FRAME_BYTES) {
      say("A daemon was let go: it sent a frame of %u bytes.\n", length);
      link_drop(link);
      return;
    }
    if (link->in_bytes - at < 4 + (size_t)length) break;
    take(context, link->in[at + 4], link->in + at + 5, length - 1);
    if (link->connection < 0 || link->generation != generation) return;
    at += 4 + (size_t)length;
  }
  link->in_bytes -= at;
  memmove(link->in, link->in + at, link->in_bytes);
}
