/* See waitingFiles.h.
 *
 * Who touches a page of such a file waits until it was filled in, by a server that may be the very
 * thread that captures. Only what the process has in its page table is sure to be there: mincore
 * says of files of other users that all of them is. */
#include "waitingFiles.h"
#include "cpu.h"
#include "raw.h"

/* An entry of /proc/self/pagemap: it is in memory, or swapped out. */
#define PAGE_THERE (3ul << 62)

/* With what may follow: "nfs4", "fuse.sshfs". */
static const char kinds[][10] = {"fuse", "fuseblk", "virtiofs", "nfs",    "cifs", "smb",
                                 "9p",   "ceph",    "afs",      "lustre", "coda"};

/* A file of /proc, on whatever stack the thread is. */
struct reader {
  long file;
  u32 at, end;
  u8 text[160];
};

static void open_reader(struct reader *reader, const char *path) {
  reader->file = raw_open(path, OPEN_READ, 0);
  reader->at = reader->end = 0;
}

static void close_reader(struct reader *reader) {
  if (reader->file >= 0) raw1(__NR_close, reader->file);
}

static int next(struct reader *from) {
  if (from->at == from->end) {
    long got = raw3(__NR_read, from->file, from->text, sizeof from->text);
    if (got <= 0) return -1;
    from->at = 0;
    from->end = (u32)got;
  }
  return from->text[from->at++];
}

/* Both return what follows: the character after the number, or the end of the word. */
static int read_number(struct reader *from, u32 base, u64 *value) {
  int c;
  for (*value = 0; (c = next(from)) >= 0;) {
    u32 digit = c >= '0' && c <= '9' ? (u32)(c - '0') : (u32)(c - 'a' + 10);
    if (digit >= base) break;
    *value = *value * base + digit;
  }
  return c;
}

static int read_word(struct reader *from, char *word, u32 room) {
  u32 length = 0;
  int c;
  while ((c = next(from)) >= 0 && c != ' ' && c != '\n')
    if (length + 1 < room) word[length++] = (char)c;
  word[length] = 0;
  return c;
}

static int skip(struct reader *from, u32 words) {
  char word[2];
  int c = ' ';
  while (words-- && c == ' ') c = read_word(from, word, sizeof word);
  return c;
}

static void skip_line(struct reader *from, int c) {
  while (c >= 0 && c != '\n') c = next(from);
}

static int read_device(struct reader *from, u32 base, u64 *device) {
  u64 major, minor = 0;
  int c = read_number(from, base, &major);
  if (c == ':') c = read_number(from, base, &minor);
  *device = major << 20 | minor;
  return c;
}

static int is_waiting_kind(const char *kind) {
  for (u32 i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    u32 at = 0;
    while (kinds[i][at] && kinds[i][at] == kind[at]) at++;
    if (!kinds[i][at] && (!kind[at] || kind[at] == '.' || (kind[at] >= '0' && kind[at] <= '9')))
      return 1;
  }
  return 0;
}

/* "id parent major:minor root place options [more …] - kind source options\n"; `device` 0: any. */
static int is_mounted(u64 device) {
  struct reader mounts;
  int found = 0, c = 0;
  open_reader(&mounts, "/proc/self/mountinfo");
  while (!found && (c = skip(&mounts, 2)) >= 0) {
    u64 number;
    char word[12];
    word[0] = 0;
    c = read_device(&mounts, 10, &number);
    while (c == ' ' && (word[0] != '-' || word[1])) c = read_word(&mounts, word, sizeof word);
    if (c == ' ') c = read_word(&mounts, word, sizeof word);
    found = (!device || device == number) && is_waiting_kind(word);
    skip_line(&mounts, c);
  }
  close_reader(&mounts);
  return found;
}

/* Of the file that is mapped there; 0: of none. "start-end rwxp offset major:minor inode path\n" */
static u64 device_at(u64 address) {
  struct reader maps;
  u64 start, end, device = 0;
  open_reader(&maps, "/proc/self/maps");
  while (read_number(&maps, 16, &start) == '-' && start <= address) {
    int c = read_number(&maps, 16, &end);
    if (c == ' ') c = skip(&maps, 2);
    if (c == ' ') c = read_device(&maps, 16, &device);
    if (address < end) break;
    device = 0;
    skip_line(&maps, c);
  }
  close_reader(&maps);
  return device;
}

static int is_there(long pages, u64 page) {
  u64 entry = 0;
  return raw4(__NR_pread64, pages, &entry, 8, page * 8) == 8 && entry & PAGE_THERE;
}

int waiting_files_mounted(u32 period) {
  static u32 looked_at, are_mounted;
  if (RELAXED(looked_at) != period) {
    SET_RELAXED(looked_at, period);
    SET_RELAXED(are_mounted, (u32)is_mounted(0));
  }
  return (int)RELAXED(are_mounted);
}

int waiting_files_hold(u64 from, u64 length) {
  long pages = raw_open("/proc/self/pagemap", OPEN_READ, 0);
  int found = 0;
  for (u64 page = from >> PAGE_SHIFT; !found && page <= (from + length - 1) >> PAGE_SHIFT; page++) {
    u64 device = is_there(pages, page) ? 0 : device_at(page << PAGE_SHIFT);
    found = device && is_mounted(device);
  }
  if (pages >= 0) raw1(__NR_close, pages);
  return found;
}
