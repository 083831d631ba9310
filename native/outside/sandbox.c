/* See sandbox.h. Kernels before 5.9 do not count filters: there the mode is compared. */
#include "sandbox.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pid_t process;
static int known;

static int number_in(const char *line, const char *title) {
  size_t length = strlen(title);
  return strncmp(line, title, length) == 0 ? atoi(line + length) : 0;
}

/* A thread's filters; in strict mode, and where they are not counted, its mode. */
static int filters_of(const char *task) {
  char path[64], line[256];
  int mode = 0, count = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%.16s/status", process, task);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) {
    mode += number_in(line, "Seccomp:");
    count += number_in(line, "Seccomp_filters:");
  }
  fclose(file);
  return count ? count : mode;
}

static int most_filters(void) {
  char path[64];
  int most = 0;
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *tasks = opendir(path);
  if (!tasks) return 0;
  for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
    int filters = task->d_name[0] == '.' ? 0 : filters_of(task->d_name);
    if (filters > most) most = filters;
  }
  closedir(tasks);
  return most;
}

void sandbox_begin(pid_t pid) {
  process = pid;
  known = most_filters();
}

int sandbox_is_new(void) { return most_filters() > known; }
