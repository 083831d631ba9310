#include "ask.h"
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_ANSWER = 256 << 20, PATIENCE_S = 20 };

/* Each thread has a connection of its own: no answer is waited for by two. */
static __thread int connection = -1;
/* Of `entered.times`: a daemon that was gone then is not waited for again. */
static __thread u32 failed_at;
static __thread u32 connected_at;
/* A forked child shares the connection with its parent. */
static __thread int owner;

static int open_connection(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(entered.service) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, entered.service);
  int one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (one < 0) return -1;
  struct timeval patience = {.tv_sec = PATIENCE_S};
  setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(one, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(one, (struct sockaddr *)&address, sizeof address) == 0) return one;
  close(one);
  return -1;
}

static int send_all(const char *from, size_t bytes) {
  while (bytes) {
    ssize_t sent = send(connection, from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    from += sent;
    bytes -= (size_t)sent;
  }
  return 1;
}

static int receive_all(char *to, size_t bytes) {
  while (bytes) {
    ssize_t got = recv(connection, to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    to += got;
    bytes -= (size_t)got;
  }
  return 1;
}

static char *exchange(const char *request, u32 bytes, u32 *answer_bytes) {
  if (!send_all((const char *)&bytes, sizeof bytes) || !send_all(request, bytes)) return 0;
  if (!receive_all((char *)answer_bytes, sizeof *answer_bytes)) return 0;
  if (*answer_bytes > MOST_ANSWER) return 0;
  char *answer = malloc(*answer_bytes + 1);
  if (answer && !receive_all(answer, *answer_bytes)) {
    free(answer);
    return 0;
  }
  return answer;
}

char *ask(const char *request, u32 bytes, u32 *answer_bytes) {
  int error = errno;
  u32 now = __atomic_load_n(&entered.times, __ATOMIC_ACQUIRE);
  if (failed_at == now) return 0;
  if (connection >= 0 && (owner != getpid() || connected_at != now)) {
    close(connection);
    connection = -1;
  }
  connected_at = now;
  if (connection < 0) connection = open_connection();
  owner = getpid();
  char *answer = connection < 0 ? 0 : exchange(request, bytes, answer_bytes);
  if (!answer) {
    /* The daemon is gone: nothing waits for it until another comes in. */
    if (connection >= 0) close(connection);
    connection = -1;
    failed_at = now;
  }
  errno = error;
  return answer;
}
