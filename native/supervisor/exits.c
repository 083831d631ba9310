/*
 * Exits of processes whose parent is not the supervisor. A pidfd tells that a process has ended;
 * how, the kernel tells from Linux 6.15 on, before that while its parent has not yet waited for it.
 */
#define _GNU_SOURCE
#include "exits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/pidfd.h of 6.15; older headers lack it. */
struct exit_info {
  uint64_t mask, cgroup;
  uint32_t ids[11];
  int32_t status;
};
#define GET_EXIT_INFO _IOWR(0xFF, 11, struct exit_info)
#define EXIT_INFO (UINT64_C(1) << 3)

int exits_open(struct exits *exits) {
  exits->events = epoll_create1(EPOLL_CLOEXEC);
  return exits->events < 0 ? errno : 0;
}

static struct watched *find(struct exits *exits, pid_t pid) {
  for (size_t i = 0; i < exits->count; i++)
    if (exits->watched[i].pid == pid) return &exits->watched[i];
  return NULL;
}

static void forget(struct exits *exits, struct watched *one) {
  close(one->fd); /* which takes it out of the epoll set, too */
  *one = exits->watched[exits->count - 1];
  exits->count--;
}

bool exits_known(const struct exits *exits, pid_t pid) {
  for (size_t i = 0; i < exits->count; i++)
    if (exits->watched[i].pid == pid) return true;
  return false;
}

static int watch(struct exits *exits, pid_t pid) {
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0) return -1;
  /* Once: a process that is told and not yet waited for would be ready for ever. */
  struct epoll_event event = {EPOLLIN | EPOLLONESHOT, {.u64 = (uint64_t)pid}};
  if (epoll_ctl(exits->events, EPOLL_CTL_ADD, fd, &event) == 0) return fd;
  close(fd);
  return -1;
}

static bool forget_told(struct exits *exits, pid_t pid) {
  for (size_t i = 0; i < REMEMBERED_EXITS; i++) {
    if (exits->told[i] != pid) continue;
    exits->told[i] = 0;
    return true;
  }
  return false;
}

void exits_watch(struct exits *exits, pid_t pid) {
  forget_told(exits, pid); /* that was another process of the number */
  if (exits->count == WATCHED_PROCESSES || exits_known(exits, pid)) return;
  int fd = watch(exits, pid);
  if (fd < 0) return;
  exits->watched[exits->count] = (struct watched){pid, fd};
  exits->count++;
}

void exits_inherit(struct exits *exits, void (*told)(void *, pid_t, int), void *context) {
  if (exits_open(exits) != 0) {
    exits->events = -1;
    return;
  }
  for (size_t i = exits->count; i-- > 0;) {
    struct watched *one = &exits->watched[i];
    one->fd = watch(exits, one->pid);
    if (one->fd >= 0) continue;
    told(context, one->pid, -1);
    forget(exits, one);
  }
}

bool exits_reaped(struct exits *exits, pid_t pid) {
  struct watched *known = find(exits, pid);
  if (known) forget(exits, known);
  return forget_told(exits, pid);
}

/* proc_pid_stat(5), while it is a zombie: field 4 its parent, the last field its wait status. */
static bool read_zombie(pid_t pid, pid_t *parent, int *status) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return false;
  text[got] = 0;
  const char *rest = strrchr(text, ')'), *last = strrchr(text, ' ');
  char state;
  if (!rest || sscanf(rest + 1, " %c %d", &state, parent) != 2 || (state != 'Z' && state != 'X'))
    return false;
  *status = atoi(last + 1);
  return true;
}

static bool ask_kernel(int fd, int *status) {
  struct exit_info info = {.mask = EXIT_INFO};
  if (ioctl(fd, GET_EXIT_INFO, &info) < 0 || !(info.mask & EXIT_INFO)) return false;
  *status = info.status;
  return true;
}

static void tell(struct exits *exits, pid_t pid, void (*told)(void *, pid_t, int), void *context) {
  struct watched *one = find(exits, pid);
  pid_t parent = 0;
  int status = -1;
  if (!one) return;
  bool zombie = !ask_kernel(one->fd, &status) && read_zombie(pid, &parent, &status);
  /* Ours to wait for: told when it is reaped. */
  if (zombie && parent == getpid()) return;
  /* Waited for between the two questions. */
  if (!zombie && status == -1) ask_kernel(one->fd, &status);
  told(context, pid, status);
  if (zombie) {
    exits->told[exits->told_at] = pid;
    exits->told_at = (exits->told_at + 1) % REMEMBERED_EXITS;
  }
  forget(exits, one);
}

void exits_read(struct exits *exits, void (*told)(void *, pid_t, int), void *context) {
  enum { AT_ONCE = 64 };
  struct epoll_event events[AT_ONCE];
  int ready;
  do {
    ready = epoll_wait(exits->events, events, AT_ONCE, 0);
    for (int i = 0; i < ready; i++) tell(exits, (pid_t)events[i].data.u64, told, context);
  } while (ready == AT_ONCE);
}
