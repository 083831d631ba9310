/* Speaks PostgreSQL's protocol to 127.0.0.1 at the port of its first argument: it opens the connection and asks three times, each
 * after the answer to the question before. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int database;

static void say(char type, const char *body, int length) {
  char message[128];
  int head = 0;
  if (type) message[head++] = type;
  int size = htonl(length + 4);
  memcpy(message + head, &size, 4);
  memcpy(message + head + 4, body, length);
  if (send(database, message, head + 4 + length, 0) < 0) exit(1);
}

/* Until it says that it is ready. */
static void hear(void) {
  char answer[256];
  int length = 0;
  while (length < 6 || answer[length - 6] != 'Z') {
    int more = recv(database, answer + length, sizeof answer - length, 0);
    if (more <= 0) exit(2);
    length += more;
  }
}

int main(int count, char **words) {
  struct sockaddr_in to = {AF_INET, htons(atoi(words[1])), {htonl(INADDR_LOOPBACK)}};
  database = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(database, (struct sockaddr *)&to, sizeof to)) return 3;
  static const char opening[] = "\0\3\0\0user\0ann\0database\0shop\0";
  say(0, opening, sizeof opening);
  hear();
  for (int i = 0; i < 3; i++) {
    char query[32];
    say('Q', query, sprintf(query, "select %d", i) + 1);
    hear();
  }
  close(database);
  return 0;
}
