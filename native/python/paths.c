#include "paths.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

static struct source *sources[BUCKETS];

static u32 hash_of(const char *text) {
  u32 hash = 2166136261u;
  for (; *text; text++) hash = (hash ^ (u8)*text) * 16777619u;
  return hash;
}

/* Relative names count from the working directory of the time they are met first. */
static char *real_path(const char *name) {
  char room[PATH_MAX];
  int error = errno;
  const char *found = realpath(name, room);
  errno = error;
  return strdup(found ? found : name);
}

struct source *path_of(object *filename) {
  const char *name = utf8_of(filename);
  if (!*name || *name == '<') return 0;
  struct source **bucket = &sources[hash_of(name) % BUCKETS];
  for (struct source *one = *bucket; one; one = one->next)
    if (!strcmp(one->name, name)) return one;
  struct source *made = calloc(1, sizeof *made);
  if (!made) return 0;
  made->name = strdup(name);
  made->path = real_path(name);
  if (!made->name || !made->path) {
    free(made->name);
    free(made->path);
    free(made);
    return 0;
  }
  made->next = *bucket;
  *bucket = made;
  return made;
}
