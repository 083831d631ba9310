/*
 * Exits of processes whose parent is not the keeper. A pidfd tells that a process has ended; how, the
 * kernel tells from Linux 6.15 on, before that while its parent has not yet waited for it.
 */
#define _GNU_SOURCE
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/pidfd.h of 6.15; older headers lack it. */
struct exit_info { uint64_t mask, cgroup; uint32_t ids[11]; int32_t status; };
#define GET_EXIT_INFO _IOWR(0xFF, 11, struct exit_info)
#define EXIT_INFO (UINT64_C(1) << 3)

enum { REMEMBERED = 256 };
struct watched { pid_t pid; int fd; };
static struct watched *watched;
static size_t count, room;
static pid_t told_exits[REMEMBERED];
static size_t told_at;

int exits_open(struct exits *exits)
{
  exits->events = epoll_create1(EPOLL_CLOEXEC);
  return exits->events < 0 ? errno : 0;
}

static struct watched *find(pid_t pid)
{
  for (size_t i = 0; i < count; i++)
    if (watched[i].pid == pid) return &watched[i];
  return NULL;
}

static void forget(struct watched *one)
{
  close(one->fd); /* which takes it out of the epoll set, too */
  *one = watched[--count];
}

bool exits_known(pid_t pid) { return find(pid) != NULL; }

void exits_watch(struct exits *exits, pid_t pid)
{
  if (find(pid)) return;
  if (count == room) {
    size_t more = room ? room * 2 : 64;
    struct watched *grown = realloc(watched, more * sizeof *grown);
    if (!grown) return;
    watched = grown;
    room = more;
  }
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0) return;
  /* Once: a process that is told and not yet waited for would be ready for ever. */
  struct epoll_event event = {EPOLLIN | EPOLLONESHOT, {.u64 = (uint64_t)pid}};
  if (epoll_ctl(exits->events, EPOLL_CTL_ADD, fd, &event) < 0) {
    close(fd);
    return;
  }
  watched[count++] = (struct watched){pid, fd};
}

bool exits_reaped(pid_t pid)
{
  struct watched *known = find(pid);
  if (known) forget(known);
  for (size_t i = 0; i < REMEMBERED; i++) {
    if (told_exits[i] != pid) continue;
    told_exits[i] = 0;
    return true;
  }
  return false;
}

/* proc_pid_stat(5), while it is a zombie: field 4 its parent, the last field its wait status. */
static bool read_zombie(pid_t pid, pid_t *parent, int *status)
{
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
  if (!rest || sscanf(rest + 1, " %c %d", &state, parent) != 2 || (state != 'Z' && state != 'X')) return false;
  *status = atoi(last + 1);
  return true;
}

static bool ask_kernel(int fd, int *status)
{
  struct exit_info info = {.mask = EXIT_INFO};
  if (ioctl(fd, GET_EXIT_INFO, &info) < 0 || !(info.mask & EXIT_INFO)) return false;
  *status = info.status;
  return true;
}

void exits_read(struct exits *exits, void (*told)(void *, pid_t, int), void *context)
{
  struct epoll_event events[64];
  int ready = epoll_wait(exits->events, events, 64, 0);
  for (int i = 0; i < ready; i++) {
    pid_t pid = (pid_t)events[i].data.u64, parent = 0;
    struct watched *one = find(pid);
    int status = -1;
    if (!one) continue;
    bool zombie = !ask_kernel(one->fd, &status) && read_zombie(pid, &parent, &status);
    /* Ours to wait for: told when it is reaped. */
    if (zombie && parent == getpid()) continue;
    /* Waited for between the two questions. */
    if (!zombie && status == -1) ask_kernel(one->fd, &status);
    if (zombie) {
      told_exits[told_at] = pid;
      told_at = (told_at + 1) % REMEMBERED;
    }
    forget(one);
    told(context, pid, status);
  }
}
