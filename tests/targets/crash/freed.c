/* Reads a member of a block that was freed; AddressSanitizer tells who freed it. */
#include <stdio.h>
#include <stdlib.h>

struct session {
  int user, expires;
};
__attribute__((noinline)) void logout(struct session *session) { free(session); }
__attribute__((noinline)) int expires(const struct session *session) { return session->expires; }
int main(void) {
  struct session *session = malloc(sizeof *session);
  session->user = 3;
  session->expires = 60;
  logout(session);
  return printf("%d\n", expires(session)) < 0;
}
