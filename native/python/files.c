#include "files.h"
#include "fields.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

static struct file *files[BUCKETS];

static u32 hash_of(const char *text) {
  u32 hash = 2166136261u;
  for (; *text; text++) hash = (hash ^ (u8)*text) * 16777619u;
  return hash;
}

struct file *files_at(const char *path) {
  for (struct file *one = files[hash_of(path) % BUCKETS]; one; one = one->next)
    if (!strcmp(one->path, path)) return one;
  return 0;
}

struct file *files_for(char *path) {
  struct file *known = path ? files_at(path) : 0;
  if (known || !path) {
    free(path);
    return known;
  }
  struct file *made = calloc(1, sizeof *made);
  if (!made) return 0;
  made->path = path;
  made->next = files[hash_of(path) % BUCKETS];
  files[hash_of(path) % BUCKETS] = made;
  return made;
}

void files_each(void (*take)(struct file *file)) {
  for (u32 i = 0; i < BUCKETS; i++)
    for (struct file *file = files[i]; file; file = file->next) take(file);
}

u32 files_number(struct file *file) {
  if (file->number) return file->number;
  struct fields fields = {0};
  fields_put_text(&fields, file->path, strlen(file->path));
  fields_put_text(&fields, "", 0);
  return file->number = fields_define(&fields, DEFINITION_KIND_FILE, 0);
}
