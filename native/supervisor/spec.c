/* Reads the launch spec; its layout is declared in src/protocol/supervisor.ts. */
#include "spec.h"
#include "bytes.h"
#include "wire.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reader {
  uint8_t *at, *end;
};

/* A NUL-terminated text without inner NULs, or NULL. */
static char *text(struct reader *reader) {
  if (reader->end - reader->at < 5) return NULL;
  uint32_t length = get32(reader->at);
  if ((size_t)(reader->end - reader->at) < (size_t)length + 5) return NULL;
  char *found = (char *)reader->at + 4;
  if (strnlen(found, length + 1) != length) return NULL;
  reader->at += (size_t)length + 5;
  return found;
}

static char **texts(struct reader *reader, uint32_t count) {
  if (count > (size_t)(reader->end - reader->at) / 5) return NULL;
  char **list = calloc((size_t)count + 1, sizeof *list);
  for (uint32_t i = 0; list && i < count; i++) {
    list[i] = text(reader);
    if (!list[i]) return NULL;
  }
  return list;
}

int spec_read(int fd, struct spec *spec) {
  size_t room = 64 << 10, used = 0;
  uint8_t *bytes = malloc(room);
  for (;;) {
    if (!bytes) return ENOMEM;
    ssize_t got = read(fd, bytes + used, room - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    used += (size_t)got;
    if (used > WIRE_MAX_SPEC_BYTES) return E2BIG;
    if (used == room) bytes = realloc(bytes, room *= 2);
  }
  if (used < SPEC_BYTES || get32(bytes + SPEC_AT_MAGIC) != WIRE_SPEC_MAGIC) return EPROTO;
  if (get32(bytes + SPEC_AT_VERSION) != WIRE_VERSION) return EPROTO;
  struct reader reader = {bytes + SPEC_BYTES, bytes + used};
  spec->flags = get32(bytes + SPEC_AT_FLAGS);
  spec->stdin_mode = get32(bytes + SPEC_AT_STDIN);
  spec->release_ms = get32(bytes + SPEC_AT_RELEASE_MS);
  spec->umask = get32(bytes + SPEC_AT_UMASK);
  spec->columns = get32(bytes + SPEC_AT_COLUMNS);
  spec->rows = get32(bytes + SPEC_AT_ROWS);
  spec->ignored = get32(bytes + SPEC_AT_IGNORED_SIGNALS);
  spec->closed = get32(bytes + SPEC_AT_CLOSED_STREAMS);
  spec->nice = (int32_t)get32(bytes + SPEC_AT_NICE);
  spec->limit_count = get32(bytes + SPEC_AT_LIMIT_COUNT);
  if (spec->limit_count > WIRE_LIMITS) return EPROTO;
  for (uint32_t i = 0; i < spec->limit_count; i++)
    spec->limits[i] = (struct rlimit){get64(bytes + SPEC_AT_LIMITS + 16 * i),
                                      get64(bytes + SPEC_AT_LIMITS + 16 * i + 8)};
  spec->max_log_bytes = get64(bytes + SPEC_AT_MAX_LOG_BYTES);
  spec->path = text(&reader);
  spec->cwd = spec->path ? text(&reader) : NULL;
  spec->argv = spec->cwd ? texts(&reader, get32(bytes + SPEC_AT_ARG_COUNT)) : NULL;
  spec->envp = spec->argv ? texts(&reader, get32(bytes + SPEC_AT_ENV_COUNT)) : NULL;
  return spec->envp && spec->argv[0] ? 0 : EPROTO;
}
