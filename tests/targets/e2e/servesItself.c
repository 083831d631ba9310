// Maps a file of a file system that it serves itself (FUSE): who reads a page of it waits for `serve`, which is called
// with that page's address. The mount is in a namespace of its own.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 8, PAGE = 4096, FILE_NODE = 2 };
static int device;
static char *area;
static char page[PAGE];

__attribute__((noinline)) static char *serve(char *where, int number) {
  (void)where;
  memset(page, 'A' + number, PAGE);
  return page;
}

__attribute__((noinline)) int look(char *text) { return text[5]; }

static void answer(unsigned long unique, int error, const void *data, size_t bytes) {
  char buffer[sizeof(struct fuse_out_header) + PAGE];
  struct fuse_out_header head = {(unsigned)(sizeof head + bytes), error, unique};
  memcpy(buffer, &head, sizeof head);
  if (bytes) memcpy(buffer + sizeof head, data, bytes);
  if (write(device, buffer, head.len) < 0) perror("answer");
}

static struct fuse_attr attributes(unsigned long node) {
  struct fuse_attr attr = {.ino = node, .nlink = 1, .blksize = PAGE};
  attr.mode = node == FILE_NODE ? S_IFREG | 0444 : S_IFDIR | 0755;
  attr.size = node == FILE_NODE ? PAGES * PAGE : 0;
  return attr;
}

static void take(const struct fuse_in_header *in, const void *argument) {
  if (in->opcode == FUSE_INIT) {
    struct fuse_init_out out = {.major = 7, .minor = 31, .max_write = PAGE};
    answer(in->unique, 0, &out, sizeof out);
  } else if (in->opcode == FUSE_LOOKUP) {
    struct fuse_entry_out out = {.nodeid = FILE_NODE, .attr_valid = 9, .entry_valid = 9};
    out.attr = attributes(FILE_NODE);
    answer(in->unique, 0, &out, sizeof out);
  } else if (in->opcode == FUSE_GETATTR) {
    struct fuse_attr_out out = {.attr_valid = 9, .attr = attributes(in->nodeid)};
    answer(in->unique, 0, &out, sizeof out);
  } else if (in->opcode == FUSE_OPEN) {
    struct fuse_open_out out = {.fh = 1};
    answer(in->unique, 0, &out, sizeof out);
  } else if (in->opcode == FUSE_READ) {
    const struct fuse_read_in *read = argument;
    char *where = area + read->offset;
    answer(in->unique, 0, serve(where, (int)(read->offset / PAGE)), read->size);
  } else if (in->opcode != FUSE_FORGET) answer(in->unique, -38, NULL, 0);
}

static void *served(void *unused) {
  static char request[1 << 17];
  while (read(device, request, sizeof request) > 0)
    take((struct fuse_in_header *)request, request + sizeof(struct fuse_in_header));
  return unused;
}

int main(int count, char **words) {
  char options[80], path[4096];
  pthread_t thread;
  int sum = 0;
  if (count < 2 || unshare(CLONE_NEWNS) < 0) return 1;
  mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
  if (device < 0 || mount("own", words[1], "fuse", MS_NOSUID | MS_NODEV, options) < 0) return 2;
  pthread_create(&thread, NULL, served, NULL);
  snprintf(path, sizeof path, "%s/file", words[1]);
  int file = open(path, O_RDONLY);
  area = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);
  if (area == MAP_FAILED) return 3;
  madvise(area, PAGES * PAGE, MADV_RANDOM);
  /* The tracing looks for such mounts from time to time. */
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  for (int i = 0; i < PAGES; i++) sum += look(area + i * PAGE);
  printf("sum %d\n", sum);
  munmap(area, PAGES * PAGE);
  close(file);
  return umount2(words[1], MNT_DETACH);
}
