/* A program on the session bus, by the bytes of the protocol alone: it owns org.example.Shelf, answers Put(text) with
 * "kept TEXT", and sends the signal Moved then. It ends after Put("stop"). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int bus;
static unsigned char message[4096];
static uint32_t length, serial;

static void align(uint32_t to) {
  while (length % to) message[length++] = 0;
}

static void put_number(uint32_t value) {
  align(4);
  memcpy(message + length, &value, 4);
  length += 4;
}

static void put_text(const char *text) {
  put_number(strlen(text));
  strcpy((char *)message + length, text);
  length += strlen(text) + 1;
}

static void put_signature(const char *text) {
  message[length++] = strlen(text);
  strcpy((char *)message + length, text);
  length += strlen(text) + 1;
}

static void put_field(int code, const char *type, const char *text) {
  if (!text) return;
  align(8);
  message[length++] = code;
  put_signature(type);
  if (*type == 'g') put_signature(text);
  else put_text(text);
}

/* `answers`: serial of the call that this answers, or 0. `number`: a second value, or -1. */
static void send_message(int kind, const char *to, const char *path, const char *interface,
                         const char *member, uint32_t answers, const char *text, int number) {
  unsigned char head[] = {'l', kind, 0, 1};
  memcpy(message, head, 4);
  memset(message + 4, 0, 12);
  length = 16;
  put_field(1, "o", path);
  put_field(2, "s", interface);
  put_field(3, "s", member);
  if (answers) {
    align(8);
    message[length++] = 5;
    put_signature("u");
    put_number(answers);
  }
  put_field(6, "s", to);
  put_field(8, "g", !text ? 0 : number < 0 ? "s" : "su");
  uint32_t fields = length - 16, body;
  align(8);
  body = length;
  if (text) put_text(text);
  if (text && number >= 0) put_number(number);
  body = length - body;
  serial++;
  memcpy(message + 4, &body, 4);
  memcpy(message + 8, &serial, 4);
  memcpy(message + 12, &fields, 4);
  write(bus, message, length);
}

static void ask_bus(const char *member, const char *text, int number) {
  const char *name = "org.freedesktop.DBus";
  send_message(1, name, "/org/freedesktop/DBus", name, member, 0, text, number);
}

static int read_all(unsigned char *to, uint32_t count) {
  for (uint32_t got = 0; got < count;) {
    ssize_t more = read(bus, to + got, count - got);
    if (more <= 0) return 0;
    got += more;
  }
  return 1;
}

static uint32_t number_at(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

/* The text of a header field; NULL: it is not there. */
static const char *field_of(const unsigned char *in, int wanted) {
  uint32_t end = 16 + number_at(in + 12);
  for (uint32_t at = 16; at < end;) {
    at = (at + 7) & ~7u;
    int code = in[at], type = in[at + 2];
    at += 4;
    if (type == 'g') {
      at += in[at] + 2;
      continue;
    }
    at = (at + 3) & ~3u;
    if (type == 'u') {
      at += 4;
      continue;
    }
    if (code == wanted) return (const char *)in + at + 4;
    at += 4 + number_at(in + at) + 1;
  }
  return 0;
}

int main(void) {
  const char *address = getenv("DBUS_SESSION_BUS_ADDRESS");
  struct sockaddr_un where = {.sun_family = AF_UNIX};
  if (!address || strncmp(address, "unix:path=", 10) != 0) return 1;
  snprintf(where.sun_path, sizeof where.sun_path, "%.*s", (int)strcspn(address + 10, ","), address + 10);
  bus = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(bus, (struct sockaddr *)&where, sizeof where) < 0) return 1;
  char user[16], hex[40] = "", answer[128], line[80];
  snprintf(user, sizeof user, "%d", (int)getuid());
  for (char *digit = user; *digit; digit++) sprintf(hex + strlen(hex), "%02x", *digit);
  int count = snprintf(line, sizeof line, "AUTH EXTERNAL %s\r\n", hex);
  write(bus, "", 1);
  write(bus, line, count);
  if (read(bus, answer, sizeof answer) <= 0) return 1;
  write(bus, "BEGIN\r\n", 7);
  ask_bus("Hello", 0, -1);
  ask_bus("RequestName", "org.example.Shelf", 4);
  printf("ready\n");
  fflush(stdout);
  static unsigned char in[65536];
  while (read_all(in, 16)) {
    uint32_t start = (16 + number_at(in + 12) + 7) & ~7u, body = number_at(in + 4);
    if (start + body > sizeof in || !read_all(in + 16, start + body - 16)) return 1;
    if (in[1] != 1) continue;
    char kept[128];
    const char *text = (const char *)in + start + 4;
    snprintf(kept, sizeof kept, "kept %.100s", text);
    int is_last = strcmp(text, "stop") == 0;
    send_message(2, field_of(in, 7), 0, 0, 0, number_at(in + 8), kept, -1);
    send_message(4, 0, "/org/example/Shelf", "org.example.Shelf", "Moved", 0, text, -1);
    if (is_last) break;
  }
  printf("done\n");
  return 0;
}
