/* A thread can stand between its write and the record of it for as long as the machine lets it: a
 * virtual processor that is not run, an interrupt of the firmware. It stands there on its processor
 * with interrupts off, so one on which this process could run in the meantime has no such thread.
 */
#define _GNU_SOURCE
#include "settled.h"
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 256
#define MOST_PROCESSORS 1024

/* The processor of a thread that runs or could; -1: it does neither. */
static int processor_of(int pid, const char *tid) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%d/task/%.16s/stat", pid, tid);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  int has_line = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  char *fields = has_line ? strrchr(line, ')') : NULL;
  if (!fields || fields[1] == 0 || fields[2] != 'R') return -1;
  char *field = strtok(fields + 1, " ");
  for (int i = 3; field && i < 39; i++) field = strtok(NULL, " "); /* proc(5): state is the third */
  return field ? atoi(field) : -1;
}

/* 0 when there are too many to ask. */
static int busy_processors(int pid, unsigned char *is_busy) {
  char path[64];
  int threads = 0;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *folder = opendir(path);
  if (!folder) return 0;
  for (struct dirent *row; threads <= MOST_THREADS && (row = readdir(folder));) {
    if (row->d_name[0] == '.') continue;
    threads++;
    int processor = processor_of(pid, row->d_name);
    if (processor >= MOST_PROCESSORS) threads = MOST_THREADS + 1;
    else if (processor >= 0) is_busy[processor] = 1;
  }
  closedir(folder);
  return threads <= MOST_THREADS;
}

static int run_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

int writes_are_recorded(int pid) {
  static unsigned char is_busy[MOST_PROCESSORS];
  cpu_set_t before;
  memset(is_busy, 0, sizeof is_busy);
  if (sched_getaffinity(0, sizeof before, &before) != 0 || !busy_processors(pid, is_busy)) return 0;
  int are = 1;
  for (int i = 0; i < MOST_PROCESSORS && are; i++)
    if (is_busy[i]) are = run_on(i);
  sched_setaffinity(0, sizeof before, &before);
  return are;
}
