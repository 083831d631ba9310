/* See fileCode.h. Source: proc_pid_maps(5), "start-end rwxp offset device inode   path\n". */
#include "fileCode.h"
#include "maps.h"
#include "raw.h"
#include "text.h"

#define TEXT_BYTES 0x10000ul
#define OFFSET_FIELD 2
#define PATH_FIELD 5

static u64 field(const u8 *line, u32 number) {
  u64 at = 0;
  for (u32 i = 0; i < number; i++) {
    while (line[at] && line[at] != ' ') at++;
    while (line[at] == ' ') at++;
  }
  return at;
}

/* `line` ends with a zero. Returns -1 when the address lies elsewhere. */
static int line_has(const u8 *line, u64 address, u8 byte) {
  u64 at = 0, start = read_hex(line, &at);
  at++;
  if (address < start || address >= read_hex(line, &at)) return -1;
  at = field(line, OFFSET_FIELD);
  u64 offset = read_hex(line, &at);
  const char *path = (const char *)line + field(line, PATH_FIELD);
  long file = *path == '/' ? raw_open(path, OPEN_READ, 0) : -1;
  if (file < 0) return 0;
  u8 found = 0;
  long got = raw4(__NR_pread64, file, &found, 1, offset + (address - start));
  raw1(__NR_close, file);
  return got == 1 && found == byte;
}

/* Reads line by line; what is longer than the room is not a path that can be opened. */
static int any_line_has(long maps, u8 *text, u64 address, u8 byte) {
  u64 kept = 0;
  for (;;) {
    long got = raw3(__NR_read, maps, text + kept, TEXT_BYTES - kept);
    if (got <= 0) return 0;
    u64 length = kept + (u64)got, line = 0;
    for (u64 at = kept; at < length; at++) {
      if (text[at] != '\n') continue;
      text[at] = 0;
      int has = line_has(text + line, address, byte);
      if (has >= 0) return has;
      line = at + 1;
    }
    for (kept = 0; line + kept < length; kept++) text[kept] = text[line + kept];
    if (kept == TEXT_BYTES) return 0;
  }
}

int file_code_has(u64 address, u8 byte) {
  long maps = raw_open("/proc/self/maps", OPEN_READ, 0);
  if (maps < 0) return 0;
  u8 *text = map_memory(TEXT_BYTES);
  int has = text ? any_line_has(maps, text, address, byte) : 0;
  if (text) unmap_memory(text, TEXT_BYTES);
  raw1(__NR_close, maps);
  return has;
}
