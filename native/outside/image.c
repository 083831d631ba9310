/* See image.h. Of a running process: its file may be gone, /proc/PID/exe is not. */
#define _GNU_SOURCE
#include "image.h"
#include "../stopper/memory.h"
#include "symbols.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* runtime.pcHeader and runtime._func from Go 1.20 on. */
#define TABLE_MAGIC 0xfffffff1u
#define HEADER_COUNT 8
#define HEADER_NAMES 32
#define HEADER_FUNCTIONS 64
#define FUNCTION_NAME 4
#define FUNCTION_DEFER_RETURN 12
#define FUNCTION_FLAG 41
#define FLAG_ASSEMBLER 4
/* runtime.moduledata from Go 1.18 on: its first word is the address of the table. */
#define MODULE_TEXT 176
/* What may be one. */
#define MOST_MODULES 8

static u8 *file;
static u64 file_bytes;
static u64 text_start;
static u8 *table;

static const void *part(u64 offset, u64 bytes) {
  return offset <= file_bytes && bytes <= file_bytes - offset ? file + offset : 0;
}

static int map_file(pid_t pid) {
  char path[32];
  struct stat facts;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  if (fstat(fd, &facts) == 0) {
    file_bytes = (u64)facts.st_size;
    file = mmap(0, file_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  close(fd);
  return file && file != MAP_FAILED ? 0 : ENOMEM;
}

static u64 entry_of(pid_t pid) {
  char path[32];
  u64 pair[2], entry = 0;
  snprintf(path, sizeof path, "/proc/%d/auxv", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  while (read(fd, pair, sizeof pair) == sizeof pair && pair[0])
    if (pair[0] == 9) entry = pair[1]; /* AT_ENTRY */
  close(fd);
  return entry;
}

static const char *const waits[WAIT_COUNT] = {
    "runtime.gopark",     "syscall.Syscall",     "syscall.Syscall6",
    "runtime.gopanic",    "runtime.Goexit",      "runtime.gorecover",
    "runtime.fatalpanic", "runtime.exitsyscall", "runtime.cgocall"};

/* The one in Go that makes all system calls but some of the runtime's own: from 1.26 on, from 1.23
 * on, and before. */
static const char *const setters_of_go[] = {"internal/runtime/syscall/linux.Syscall6",
                                            "internal/runtime/syscall.Syscall6",
                                            "runtime/internal/syscall.Syscall6"};

static void keep_setter(struct image *image, u64 address, enum sets_filters how) {
  u32 i = 0;
  while (i < SETTER_COUNT && image->setters[i].address && image->setters[i].address != address) i++;
  if (i < SETTER_COUNT) image->setters[i] = (struct filter_setter){address, how};
}

static void keep_of_c(struct image *image, const char *name, u64 address) {
  if (strcmp(name, "syscall") == 0) keep_setter(image, address, SETS_BY_NUMBER);
  if (strcmp(name, "prctl") == 0) keep_setter(image, address, SETS_BY_PRCTL);
}

static enum sets_filters setter_at(const struct image *image, u64 address) {
  for (u32 i = 0; i < SETTER_COUNT; i++)
    if (address && image->setters[i].address == address) return image->setters[i].how;
  return SETS_NONE;
}

static void keep_of_go(struct image *image, const char *name, u64 address, u64 bytes) {
  if (strcmp(name, "runtime.allgs") == 0) image->goroutines = address;
  if (strcmp(name, "runtime.text") == 0) text_start = address;
  if (strcmp(name, "runtime.waitReasonStrings") == 0) {
    image->reasons = address;
    image->reasons_bytes = bytes;
  }
  for (u32 i = 0; i < WAIT_COUNT; i++)
    if (strcmp(name, waits[i]) == 0) image->waits[i] = address;
  for (u32 i = 0; i < sizeof setters_of_go / sizeof *setters_of_go; i++)
    if (strcmp(name, setters_of_go[i]) == 0) keep_setter(image, address, SETS_BY_NUMBER);
}

static void read_symbols(struct image *image, const Elf64_Ehdr *head, const Elf64_Shdr *sections) {
  for (u32 i = 0; i < head->e_shnum; i++) {
    const Elf64_Shdr *one = &sections[i];
    if (one->sh_type != SHT_SYMTAB || one->sh_link >= head->e_shnum) continue;
    const Elf64_Sym *symbols = part(one->sh_offset, one->sh_size);
    const Elf64_Shdr *texts = &sections[one->sh_link];
    const char *names = part(texts->sh_offset, texts->sh_size);
    for (u64 at = 0; symbols && names && at < one->sh_size / sizeof *symbols; at++) {
      if (symbols[at].st_name + 16ul > texts->sh_size) continue;
      const char *name = names + symbols[at].st_name;
      u64 address = symbols[at].st_value + image->bias;
      if (image->is_go) keep_of_go(image, name, address, symbols[at].st_size);
      u8 kind = ELF64_ST_TYPE(symbols[at].st_info);
      int is_code = kind == STT_FUNC || kind == STT_GNU_IFUNC;
      if (image->is_go || !is_code || symbols[at].st_shndx == SHN_UNDEF) continue;
      keep_of_c(image, name, address);
      symbols_add(address, symbols[at].st_size, name);
    }
  }
}

static u32 word(u64 offset, u64 bytes) {
  return offset + 4 <= bytes ? *(const u32 *)(table + offset) : 0;
}

/* A word of the file's data and what it is to hold, as it is or by a relocation; 0: that is all. */
static int word_of(const Elf64_Shdr *one, u64 i, u64 *at, u64 *value) {
  const u64 *words = part(one->sh_offset, one->sh_size);
  const Elf64_Rela *rows = (const Elf64_Rela *)words;
  int is_rows = one->sh_type == SHT_RELA;
  if (!words || i >= one->sh_size / (is_rows ? sizeof *rows : sizeof *words)) return 0;
  *at = is_rows ? rows[i].r_offset : one->sh_addr + 8 * i;
  *value = is_rows ? (u64)rows[i].r_addend : words[i];
  return 1;
}

/* Where the code of Go begins that the table counts from: runtime.moduledata says it. */
static void find_text(const struct image *image, const Elf64_Shdr *one) {
  u64 modules[MOST_MODULES], found = 0, at, value;
  if (one->sh_type != SHT_RELA && (one->sh_type != SHT_PROGBITS || !(one->sh_flags & SHF_WRITE)))
    return;
  for (u64 i = 0; found < MOST_MODULES && word_of(one, i, &at, &value); i++)
    if (value + image->bias == image->table) modules[found++] = at;
  for (u64 i = 0; found && !text_start && word_of(one, i, &at, &value); i++)
    for (u64 m = 0; m < found; m++)
      if (at == modules[m] + MODULE_TEXT && value + image->bias >= image->text &&
          value + image->bias < image->text_end)
        text_start = value + image->bias;
}

/* A stripped program has no other names. */
static void find_waits(struct image *image) {
  u64 all = image->table_bytes, functions = *(const u64 *)(table + HEADER_FUNCTIONS);
  u64 names = *(const u64 *)(table + HEADER_NAMES), count = *(const u64 *)(table + HEADER_COUNT);
  for (u64 row = functions; count && row + 8 <= all; row += 8, count--) {
    u64 name = names + word(functions + word(row + 4, all) + FUNCTION_NAME, all);
    u64 address = text_start + word(row, all);
    if (memchr(table + name, 0, name < all ? all - name : 0))
      keep_of_go(image, (const char *)table + name, address, 0);
  }
}

/* Of a program of Go. */
static int read_table(struct image *image) {
  if (!image->table) return ENOEXEC;
  table = malloc(image->table_bytes);
  if (!table || memory_read(image->table, table, (u32)image->table_bytes) != image->table_bytes)
    return EIO;
  if (*(u32 *)table != TABLE_MAGIC) return ENOEXEC;
  if (!image->waits[0] && text_start) find_waits(image);
  return 0;
}

int image_read(pid_t pid, struct image *image, int is_go) {
  memset(image, 0, sizeof *image);
  image->is_go = is_go;
  int failed = map_file(pid);
  if (failed) return failed;
  const Elf64_Ehdr *head = part(0, sizeof *head);
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG)) return ENOEXEC;
  const Elf64_Shdr *sections = part(head->e_shoff, head->e_shnum * sizeof *sections);
  const Elf64_Phdr *segments = part(head->e_phoff, head->e_phnum * sizeof *segments);
  if (!sections || !segments || head->e_shstrndx >= head->e_shnum) return ENOEXEC;
  image->bias = head->e_type == ET_DYN ? entry_of(pid) - head->e_entry : 0;
  image->begin = ~0ul;
  int has_loader = 0;
  for (u32 i = 0; i < head->e_phnum; i++) {
    has_loader |= segments[i].p_type == PT_INTERP;
    if (segments[i].p_type != PT_LOAD) continue;
    u64 from = segments[i].p_vaddr + image->bias, to = from + segments[i].p_memsz;
    if (from < image->begin) image->begin = from;
    if (to > image->end) image->end = to;
    if (segments[i].p_flags != PF_R || image->constants_end) continue;
    image->constants = from;
    image->constants_end = to;
  }
  const Elf64_Shdr *texts = &sections[head->e_shstrndx];
  const char *names = part(texts->sh_offset, texts->sh_size);
  for (u32 i = 0; names && i < head->e_shnum; i++) {
    const char *name = sections[i].sh_name < texts->sh_size ? names + sections[i].sh_name : "";
    u64 address = sections[i].sh_addr + image->bias;
    if (strcmp(name, ".text") == 0) {
      image->text = address;
      image->text_end = address + sections[i].sh_size;
      image->code = part(sections[i].sh_offset, sections[i].sh_size);
    } else if (strstr(name, ".gopclntab")) {
      image->table = address;
      image->table_bytes = sections[i].sh_size;
    }
  }
  read_symbols(image, head, sections);
  if (!image->text) return ENOEXEC;
  for (u32 i = 0; is_go && !text_start && i < head->e_shnum; i++) find_text(image, &sections[i]);
  if (is_go) {
    failed = read_table(image);
    /* Where functions of C cannot be traced nothing is recorded of their calls. */
    if (!has_loader) image->waits[WAIT_CALLS_C] = image->waits[WAIT_LEAVES_C] = 0;
    return failed;
  }
  symbols_ready(image->text, image->text_end);
  return 0;
}

static int function_of_go(const struct image *image, u64 address, struct function *found) {
  u64 all = image->table_bytes, count = *(const u64 *)(table + HEADER_COUNT);
  u64 functions = *(const u64 *)(table + HEADER_FUNCTIONS);
  u64 wanted = address - text_start, low = 0, high = count;
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (word(functions + 8 * middle, all) < wanted) low = middle + 1;
    else high = middle;
  }
  if (low >= count || word(functions + 8 * low, all) != wanted) return 0;
  u64 at = functions + word(functions + 8 * low + 4, all);
  if (at + FUNCTION_FLAG >= all) return 0;
  u32 deferred = word(at + FUNCTION_DEFER_RETURN, all);
  found->end = text_start + word(functions + 8 * (low + 1), all);
  found->defer_return = deferred ? address + deferred : 0;
  /* The panic that it reads is on the stack of its goroutine. */
  found->is_sure = address == image->waits[WAIT_RECOVER];
  found->has_entry_alone =
      address == image->waits[WAIT_CALLS_C] || address == image->waits[WAIT_LEAVES_C];
  found->sets = setter_at(image, address);
  found->is_assembler = table[at + FUNCTION_FLAG] & FLAG_ASSEMBLER;
  return found->end > address;
}

int image_function(const struct image *image, u64 address, u32 size, struct function *found) {
  memset(found, 0, sizeof *found);
  if (image->is_go) return function_of_go(image, address, found);
  const struct symbol *symbol = symbols_at(address);
  if (!size && symbol && symbol->address == address) size = (u32)symbol->size;
  if (!size || address < image->text || address >= image->text_end) return 0;
  u64 next = symbols_next(address);
  found->is_c = 1;
  found->sets = setter_at(image, address);
  found->size = size;
  found->end = next >= address + size ? next : address + size;
  if (found->end > image->text_end) found->end = image->text_end;
  return found->end >= address + size;
}
