/* Records of TLS between two sockets of this process, made by none of the libraries that are known. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static const char hello[] = "\x16\x03\x01\x00\x04 ask";
static const char answer[] = "\x16\x03\x03\x00\x06 serve";
static const char plain[] = "\x17\x03\x03\x00\x03xyz";

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  bind(listener, (struct sockaddr *)&address, length);
  listen(listener, 1);
  getsockname(listener, (struct sockaddr *)&address, &length);
  if (connect(client, (struct sockaddr *)&address, length)) return 1;
  int server = accept(listener, NULL, NULL);
  char room[64];
  send(client, hello, sizeof hello - 1, 0);
  if (recv(server, room, sizeof hello - 1, MSG_WAITALL) != sizeof hello - 1) return 2;
  send(server, answer, sizeof answer - 1, 0);
  if (recv(client, room, sizeof answer - 1, MSG_WAITALL) != sizeof answer - 1) return 3;
  send(client, plain, sizeof plain - 1, 0);
  close(client);
  return 0;
}
