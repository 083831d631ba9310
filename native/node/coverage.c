#include "coverage.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder_path[PATH_MAX];
static struct name {
  struct name *next;
  char text[];
} *kept;

static int is_kept(const char *text) {
  for (struct name *one = kept; one; one = one->next)
    if (strcmp(one->text, text) == 0) return 1;
  return 0;
}

static void remove_others(void) {
  char prefix[32];
  int length = snprintf(prefix, sizeof prefix, "coverage-%d-", getpid());
  DIR *folder = opendir(folder_path);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (strncmp(entry->d_name, prefix, (size_t)length) == 0 && !is_kept(entry->d_name))
      unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
}

void coverage_keep(const char *folder, const char *name) {
  struct name *made = malloc(sizeof *made + strlen(name) + 1);
  if (!made) return;
  strcpy(made->text, name);
  pthread_mutex_lock(&lock);
  made->next = kept;
  kept = made;
  int is_first = !*folder_path && strlen(folder) < sizeof folder_path;
  if (is_first) strcpy(folder_path, folder);
  pthread_mutex_unlock(&lock);
  if (is_first) atexit(remove_others);
}
