#include "hold.h"
#include "../engine/unseenCalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_REQUEST = 1 << 20 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};

void hold_begin(const char *path) {
  if (strlen(path) < sizeof address.sun_path) strcpy(address.sun_path, path);
}

int hold_open(void) {
  int one = *address.sun_path ? unseen_socket() : -1;
  if (one < 0) return -1;
  if (unseen_connect(one, (struct sockaddr *)&address, sizeof address) == 0) return one;
  unseen_close(one);
  return -1;
}

static int send_all(int connection, const char *from, size_t bytes) {
  while (bytes) {
    ssize_t sent = unseen_send(connection, from, bytes);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    from += sent;
    bytes -= (size_t)sent;
  }
  return 1;
}

static int receive_all(int connection, u8 *to, size_t bytes) {
  while (bytes) {
    ssize_t got = unseen_receive(connection, to, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    to += got;
    bytes -= (size_t)got;
  }
  return 1;
}

int hold_say(int connection, const char *text, size_t length) {
  u32 head = (u32)length;
  return send_all(connection, (const char *)&head, sizeof head) &&
         send_all(connection, text, length);
}

u8 *hold_next(int connection, u32 *length) {
  if (!receive_all(connection, (u8 *)length, sizeof *length) || *length > MOST_REQUEST) return 0;
  u8 *request = malloc(*length + 1);
  if (request && receive_all(connection, request, *length)) return request;
  free(request);
  return 0;
}
