/* Everything that descends from the supervisor (it is a subreaper, so nothing escapes by
 * daemonising). */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process {
  pid_t pid, parent, group;
  bool ours;
};
struct table {
  struct process *rows;
  size_t count, room;
};

/* proc_pid_stat(5): pid (name) state ppid pgrp …; the name may itself hold brackets. */
static bool read_process(const char *name, struct process *process) {
  char path[300], line[512];
  snprintf(path, sizeof path, "/proc/%s/stat", name);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  size_t got = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[got] = 0;
  char state;
  int parent, group;
  const char *rest = strrchr(line, ')');
  if (!rest || sscanf(rest + 1, " %c %d %d", &state, &parent, &group) != 3) return false;
  *process = (struct process){(pid_t)atoi(name), parent, group, false};
  return state != 'Z' && state != 'X';
}

static bool snapshot(struct table *table) {
  DIR *folder = opendir("/proc");
  if (!folder) return false;
  table->count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (table->count == table->room) {
      size_t room = table->room ? table->room * 2 : 512;
      struct process *rows = realloc(table->rows, room * sizeof *rows);
      if (!rows) break;
      table->rows = rows;
      table->room = room;
    }
    if (read_process(entry->d_name, &table->rows[table->count])) table->count++;
  }
  closedir(folder);
  return true;
}

static void mark_descendants(struct table *table, pid_t root) {
  bool grown = true;
  while (grown) {
    grown = false;
    for (size_t i = 0; i < table->count; i++) {
      struct process *row = &table->rows[i];
      if (row->ours) continue;
      row->ours = row->parent == root;
      for (size_t j = 0; !row->ours && j < table->count; j++)
        row->ours = table->rows[j].ours && table->rows[j].pid == row->parent;
      grown |= row->ours;
    }
  }
}

/* `group` > 0 is the target's own process group, reached in one atomic step first. */
int tree_signal(pid_t group, int number) {
  struct table table = {0};
  bool any = group > 0 && kill(-group, number) == 0;
  /* SIGKILL repeats, because a process may fork while we read /proc; each pass ends what the last
   * one missed. */
  int passes = number == SIGKILL ? 16 : 1;
  for (int pass = 0; pass < passes && snapshot(&table); pass++) {
    mark_descendants(&table, getpid());
    bool left = false;
    for (size_t i = 0; i < table.count; i++) {
      struct process *row = &table.rows[i];
      if (!row->ours || (group > 0 && row->group == group)) continue;
      if (kill(row->pid, number) == 0) left = any = true;
    }
    if (!left) break;
  }
  free(table.rows);
  return any ? 0 : ESRCH;
}

void tree_each(void (*found)(void *, pid_t, pid_t), void *context) {
  struct table table = {0};
  if (snapshot(&table)) mark_descendants(&table, getpid());
  for (size_t i = 0; i < table.count; i++)
    if (table.rows[i].ours) found(context, table.rows[i].pid, table.rows[i].parent);
  free(table.rows);
}
