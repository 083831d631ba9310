// Uses an object after it was freed and its memory given to another: its pointer is text now.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct session {
  char name[8];
  const int *expires;
};
__attribute__((noinline)) int expires(const struct session *session) { return *session->expires; }
__attribute__((noinline)) void logout(struct session *session) { free(session); }
__attribute__((noinline)) char *greeting(void) {
  char *text = malloc(sizeof(struct session));
  return strcpy(text, "hello, stranger");
}
int main(void) {
  int noon = 12;
  struct session *session = malloc(sizeof *session);
  strcpy(session->name, "ann");
  session->expires = &noon;
  printf("%d\n", expires(session));
  logout(session);
  char *text = greeting();
  printf("%d %s\n", expires(session), text);
}
