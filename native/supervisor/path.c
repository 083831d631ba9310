/*
 * The kernel resolves a path for the calling process: below its root, with its own /proc/self.
 * So a path of another process is walked here, a name at a time, as that process would: absolute
 * links lead to its root, and "self" is it. Links of /proc itself lead to files, not to names.
 */
#define _GNU_SOURCE
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_LINKS = 40, PROC_ROOT_NUMBER = 1, NAME_ONLY = O_PATH | O_CLOEXEC };

struct walk {
  const struct finder *finder;
  int root, at, links;
  char left[2 * MAX_PATH];
};

static int open_own(pid_t pid, const char *what) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
  return open(path, NAME_ONLY);
}

static bool is_proc(int fd) {
  struct statfs found;
  return fstatfs(fd, &found) == 0 && found.f_type == PROC_SUPER_MAGIC;
}

static bool is_same(int one, int other) {
  struct stat a, b;
  return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

static bool is_proc_root(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 && found.st_ino == PROC_ROOT_NUMBER && is_proc(fd);
}

static bool step_to(struct walk *walk, int next) {
  if (next < 0) return false;
  close(walk->at);
  walk->at = next;
  return true;
}

/* The first name of what is left. */
static bool next_name(struct walk *walk, char name[MAX_PATH]) {
  const char *start = walk->left + strspn(walk->left, "/");
  size_t length = strcspn(start, "/");
  if (length == 0 || length >= MAX_PATH) return false;
  memcpy(name, start, length);
  name[length] = 0;
  memmove(walk->left, start + length, strlen(start + length) + 1);
  return true;
}

static bool follow_link(struct walk *walk, int link) {
  char target[2 * MAX_PATH];
  ssize_t length = readlinkat(link, "", target, MAX_PATH);
  if (length <= 0 || ++walk->links > MAX_LINKS) return false;
  if ((size_t)length + strlen(walk->left) + 1 > sizeof target) return false;
  strcpy(target + length, walk->left);
  strcpy(walk->left, target);
  return target[0] != '/' || step_to(walk, dup(walk->root));
}

static bool step(struct walk *walk, const char *name) {
  const struct finder *finder = walk->finder;
  struct stat found;
  char task[32];
  if (strcmp(name, ".") == 0) return true;
  if (strcmp(name, "..") == 0)
    return is_same(walk->at, walk->root) || step_to(walk, openat(walk->at, "..", NAME_ONLY));
  bool from_proc_root = is_proc_root(walk->at);
  if (from_proc_root && strcmp(name, "self") == 0)
    return step_to(walk, open_own(finder->process, ""));
  snprintf(task, sizeof task, "task/%d", finder->thread);
  if (from_proc_root && strcmp(name, "thread-self") == 0)
    return step_to(walk, open_own(finder->process, task));
  int next = openat(walk->at, name, NAME_ONLY | O_NOFOLLOW);
  if (next < 0 || fstat(next, &found) < 0 || !S_ISLNK(found.st_mode)) return step_to(walk, next);
  bool is_file = !from_proc_root && is_proc(next);
  bool is_found =
      is_file ? step_to(walk, openat(walk->at, name, NAME_ONLY)) : follow_link(walk, next);
  close(next);
  return is_found;
}

static int walk_all(struct walk *walk) {
  char name[MAX_PATH];
  while (next_name(walk, name)) {
    if (step(walk, name)) continue;
    close(walk->at);
    return -1;
  }
  return walk->at;
}

int path_open(const struct finder *finder, int from, const char *path) {
  struct walk walk = {.finder = finder};
  char start[32];
  if (strlen(path) >= MAX_PATH) return -1;
  strcpy(walk.left, path);
  walk.root = open_own(finder->process, "root");
  /* A process that hides its memory hides its root, too. */
  if (walk.root < 0 && errno == EACCES) walk.root = open("/", NAME_ONLY);
  if (walk.root < 0) return -1;
  snprintf(start, sizeof start, "fd/%d", from);
  walk.at = path[0] == '/'
                ? dup(walk.root)
                : open_own(finder->process, from == FROM_WORKING_DIRECTORY ? "cwd" : start);
  int found = walk.at < 0 ? -1 : walk_all(&walk);
  close(walk.root);
  return found;
}
