#include "answers.h"
#include "../engine/unseenCalls.h"
#include "contract.h"
#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 20, SHA1_BYTES = NODE_KEY_BYTES / 2, PART_DIGITS = 8 };

struct place {
  u32 behind; /* where the record begins, + 1; 0: the slot is empty */
  u32 part;
};

struct record {
  char key[NODE_KEY_BYTES];
  u32 source_bytes, answer_bytes;
};

/* Of the OpenSSL in Node: they only compute. SHA_CTX takes 96 bytes of it. */
static int hash(const char *head, u32 head_bytes, const char *text, u32 text_bytes, u8 *to) {
  int (*begin)(void *), (*add)(void *, const void *, size_t), (*end)(u8 *, void *);
  u64 context[64];
  *(void **)&begin = dlsym(RTLD_DEFAULT, "SHA1_Init");
  *(void **)&add = dlsym(RTLD_DEFAULT, "SHA1_Update");
  *(void **)&end = dlsym(RTLD_DEFAULT, "SHA1_Final");
  return begin && add && end && begin(context) && add(context, head, head_bytes) &&
         add(context, text, text_bytes) && end(to, context);
}

static int key_of(const char *head, u32 head_bytes, const char *text, u32 text_bytes, char *key) {
  static const char digits[] = "0123456789abcdef";
  u8 bytes[SHA1_BYTES];
  if (!hash(head, head_bytes, text, text_bytes, bytes)) return 0;
  for (u32 i = 0; i < NODE_KEY_BYTES; i++)
    key[i] = digits[i & 1 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4];
  return 1;
}

static u32 number_in(const char *key, u32 digits) {
  char text[PART_DIGITS + 1] = {0};
  memcpy(text, key, digits);
  return (u32)strtoul(text, 0, 16);
}

/* The service's socket is in a folder of the home. Returns -1 where it cannot be opened. */
static int open_kept(const char *name) {
  char path[PATH_MAX];
  const char *end = entered.service + strlen(entered.service);
  for (int folders = 0; folders < 2; folders++)
    while (end > entered.service && *--end != '/') {
    }
  int home_bytes = (int)(end - entered.service);
  int bytes = snprintf(path, sizeof path, "%.*s/%s", home_bytes, entered.service, name);
  if (bytes < 0 || (size_t)bytes >= sizeof path) return -1;
  return unseen_open(path, O_RDONLY | O_CLOEXEC, 0);
}

static int read_all(int file, void *to, size_t bytes, off_t at) {
  return unseen_read_at(file, to, bytes, at) == (ssize_t)bytes;
}

/* Where its record begins, + 1; 0: there is none. */
static u32 behind_of(const char *key) {
  struct place places[NODE_ANSWER_PROBES] = {0};
  u32 slot = number_in(key, NODE_SLOT_DIGITS);
  u32 part = number_in(key + NODE_SLOT_DIGITS, PART_DIGITS);
  int file = open_kept(NODE_ANSWER_PLACES);
  if (file < 0) return 0;
  unseen_read_at(file, places, sizeof places, (off_t)(slot * sizeof *places));
  unseen_close(file);
  for (u32 i = 0; i < NODE_ANSWER_PROBES; i++)
    if (places[i].behind && places[i].part == part) return places[i].behind;
  return 0;
}

static int is_as_before(const char *stamp, const char *path) {
  char now[32] = "";
  struct stat status;
  if (unseen_stat(path, &status) == 0)
    snprintf(now, sizeof now, "%lld",
             (long long)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec);
  return strcmp(stamp, now) == 0;
}

static int are_as_before(const char *sources, u32 bytes) {
  const char *end = sources + bytes;
  if (bytes && end[-1]) return 0;
  while (sources < end) {
    const char *path = sources + strlen(sources) + 1;
    if (path >= end || !is_as_before(sources, path)) return 0;
    sources = path + strlen(path) + 1;
  }
  return 1;
}

static char *answer_at(int file, off_t at, const char *key, u32 *answer_bytes) {
  struct record record;
  if (!read_all(file, &record, sizeof record, at) || memcmp(record.key, key, NODE_KEY_BYTES) ||
      record.source_bytes > MOST_BYTES || record.answer_bytes > MOST_BYTES)
    return 0;
  u32 body = record.source_bytes + record.answer_bytes;
  char *bytes = malloc(body + NODE_KEY_BYTES);
  if (bytes && read_all(file, bytes, body + NODE_KEY_BYTES, at + (off_t)sizeof record) &&
      memcmp(bytes + body, key, NODE_KEY_BYTES) == 0 && are_as_before(bytes, record.source_bytes)) {
    memmove(bytes, bytes + record.source_bytes, record.answer_bytes);
    *answer_bytes = record.answer_bytes;
    return bytes;
  }
  free(bytes);
  return 0;
}

char *kept_answer(const char *head, u32 head_bytes, const char *text, u32 text_bytes,
                  u32 *answer_bytes) {
  char key[NODE_KEY_BYTES], *answer = 0;
  int error = errno;
  u32 behind = key_of(head, head_bytes, text, text_bytes, key) ? behind_of(key) : 0;
  int file = behind ? open_kept(NODE_ANSWER_RECORDS) : -1;
  if (file >= 0) {
    answer = answer_at(file, (off_t)behind - 1, key, answer_bytes);
    unseen_close(file);
  }
  errno = error;
  return answer;
}
