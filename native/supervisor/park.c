/* See park.h. */
#define _GNU_SOURCE
#include "park.h"
#include "firstStack.h"
#include "parked.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

/* What the host and its agent open at a start stays below this. */
enum { LEFT_FOR_HOST = 24, MOST_NUMBERS = 1024, MOST_SEGMENTS = 32, USER_CODE = 0x33, PAGE = 4096 };
enum { CODE_WORDS = PARKED_CODE_BYTES / 8 };

static const uint8_t loop[PARKED_CODE_BYTES] = {
    0x49, 0x8b,      0x04, 0x24,       /* call: mov rax, [r12] */
    0x49, 0x8b,      0x7c, 0x24, 0x08, /* mov rdi, [r12 + 8] */
    0x49, 0x8b,      0x74, 0x24, 0x10, /* mov rsi, [r12 + 16] */
    0x49, 0x8b,      0x54, 0x24, 0x18, /* mov rdx, [r12 + 24] */
    0x49, 0x83,      0xc4, 0x20,       /* add r12, 32 */
    0x48, 0x85,      0xc0,             /* test rax, rax */
    0x78, 0x04,                        /* js wait */
    0x0f, 0x05,                        /* syscall */
    0xeb, 0xe0,                        /* jmp call */
    0xb8, SYS_pause, 0,    0,    0,    /* wait: mov eax, SYS_pause */
    0x0f, 0x05,                        /* syscall */
    0xeb, 0xf7,                        /* jmp wait */
};

static bool copy(pid_t pid, uint64_t at, void *own, size_t count, bool to_process) {
  struct iovec here = {own, count}, there = {(void *)(uintptr_t)at, count};
  ssize_t done = to_process ? process_vm_writev(pid, &here, 1, &there, 1, 0)
                            : process_vm_readv(pid, &here, 1, &there, 1, 0);
  return done == (ssize_t)count;
}

static bool read_block(pid_t pid, const struct parking *place, struct parked_block *block) {
  return copy(pid, place->block, block, sizeof *block, false) && block->magic == PARKED_MAGIC;
}

static bool poke_code(pid_t pid, uint64_t at, const uint8_t code[PARKED_CODE_BYTES]) {
  for (int i = 0; i < CODE_WORDS; i++) {
    uint64_t word;
    memcpy(&word, code + 8 * i, 8);
    if (ptrace(PTRACE_POKETEXT, pid, (void *)(uintptr_t)(at + 8u * (unsigned)i),
               (void *)(uintptr_t)word) < 0)
      return false;
  }
  return true;
}

static bool is_unused(pid_t pid, uint64_t at) {
  for (int i = 0; i < CODE_WORDS; i++) {
    errno = 0;
    if (ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)(at + 8u * (unsigned)i), NULL) != 0 ||
        errno != 0)
      return false;
  }
  return true;
}

/* Whether a place lies behind the code of a static program that begins at `inside`: what fills up
 * its last page there is another part of its file. */
static bool is_behind_code(pid_t pid, uint64_t inside, uint64_t at) {
  char path[64];
  Elf64_Ehdr head;
  Elf64_Phdr rows[MOST_SEGMENTS];
  uint64_t end = 0;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool is_read = read(fd, &head, sizeof head) == sizeof head && head.e_phnum <= MOST_SEGMENTS &&
                 head.e_phentsize == sizeof rows[0];
  size_t bytes = is_read ? head.e_phnum * sizeof rows[0] : 0;
  is_read = is_read && pread(fd, rows, bytes, (off_t)head.e_phoff) == (ssize_t)bytes;
  close(fd);
  for (unsigned i = 0; is_read && i < head.e_phnum; i++) {
    if (rows[i].p_type == PT_INTERP) return false;
    if (rows[i].p_type == PT_LOAD && head.e_entry - rows[i].p_vaddr < rows[i].p_memsz)
      end = inside - head.e_entry + rows[i].p_vaddr + rows[i].p_memsz;
  }
  return end > inside && at >= end;
}

/* Zeros in the page that begins at `from`: Go's linker has the headers of the file, and nothing
 * behind them, before its code. 0: there are too few. */
static uint64_t room_in_page(pid_t pid, uint64_t from) {
  for (uint64_t at = from; at + PARKED_CODE_BYTES <= from + PAGE; at += 8)
    if (is_unused(pid, at)) return at;
  return 0;
}

/* The last page of the code that `inside` is in is filled up with zeros, or with what is no code;
 * where code fills it, the first one may have room. 0: there is no room. */
static uint64_t find_room(pid_t pid, uint64_t inside) {
  char path[64], line[512];
  unsigned long from, to;
  uint64_t room = 0, first = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  while (room == 0 && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= inside && inside < to)
      room = to - PARKED_CODE_BYTES, first = from;
  fclose(maps);
  if (room == 0) return 0;
  if (room > inside && (is_unused(pid, room) || is_behind_code(pid, inside, room))) return room;
  return inside < first + PAGE ? 0 : room_in_page(pid, first);
}

static void add_call(struct parked_block *block, unsigned *count, long number, uint64_t first,
                     uint64_t second, uint64_t third) {
  block->calls[(*count)++] = (struct parked_call){(uint64_t)number, {first, second, third}};
  block->calls[*count].number = UINT64_MAX;
}

/* Has it run the block's calls when it runs next. */
static bool set_calls(pid_t pid, const struct parking *place, struct parked_block *block) {
  struct user_regs_struct registers = block->registers;
  registers.rip = place->code;
  registers.r12 = place->block + offsetof(struct parked_block, calls);
  registers.orig_rax = UINT64_MAX; /* no system call is to be restarted */
  return copy(pid, place->block, block, sizeof *block, true) &&
         ptrace(PTRACE_SETREGS, pid, NULL, &registers) == 0;
}

static uint64_t block_below(uint64_t stack) { return (stack - PARKED_BELOW) & ~UINT64_C(63); }

int park_begin(pid_t pid, struct parking *place) {
  struct parked_block block = {.magic = PARKED_MAGIC};
  unsigned count = 0;
  *place = (struct parking){0, 0};
  if (ptrace(PTRACE_GETREGS, pid, NULL, &block.registers) < 0) return errno;
  if (block.registers.cs != USER_CODE) return ENOEXEC;
  block.registers.rax = 0; /* as execve, which may not have ended yet, leaves it */
  uint64_t code = find_room(pid, block.registers.rip);
  if (code == 0) return ENOEXEC;
  uint64_t at = block_below(block.registers.rsp);
  add_call(&block, &count, SYS_setitimer, ITIMER_REAL, at + offsetof(struct parked_block, no_timer),
           at + offsetof(struct parked_block, timer));
  block.code = code;
  if (!copy(pid, code, block.before, sizeof block.before, false)) return errno;
  struct parking found = {at, code};
  if (!poke_code(pid, code, loop) || !set_calls(pid, &found, &block)) return errno ? errno : EFAULT;
  *place = found;
  return 0;
}

/* The lowest numbers without a file; none where the limit leaves the host too few. */
static uint32_t free_numbers(pid_t pid, uint64_t numbers[PARKED_NUMBERS]) {
  char path[64];
  bool used[MOST_NUMBERS] = {false};
  struct rlimit most;
  uint32_t count = 0;
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *files = opendir(path);
  if (!files) return 0;
  for (struct dirent *file = readdir(files); file; file = readdir(files)) {
    unsigned long number = strtoul(file->d_name, NULL, 10);
    if (file->d_name[0] != '.' && number < MOST_NUMBERS) used[number] = true;
  }
  closedir(files);
  for (uint32_t number = 0; number < MOST_NUMBERS && count < PARKED_NUMBERS; number++)
    if (!used[number]) numbers[count++] = number;
  if (count < PARKED_NUMBERS || prlimit(pid, RLIMIT_NOFILE, NULL, &most) < 0) return 0;
  return most.rlim_cur < numbers[count - 1] + LEFT_FOR_HOST ? 0 : count;
}

int park_take(pid_t pid, const struct parking *place) {
  struct parked_block block;
  unsigned count = 0;
  if (!read_block(pid, place, &block)) return EFAULT;
  block.taken = free_numbers(pid, block.numbers);
  /* Under Yama's ptrace_scope 1, where only ancestors may attach to a process and those it names.
   */
  add_call(&block, &count, SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0);
  for (uint64_t i = 0; i < block.taken; i++)
    add_call(&block, &count, SYS_eventfd2, 0, EFD_CLOEXEC, 0);
  return set_calls(pid, place, &block) ? 0 : errno;
}

bool park_is_parked(pid_t pid, const struct parking *place) {
  struct user_regs_struct registers;
  return ptrace(PTRACE_GETREGS, pid, NULL, &registers) == 0 && registers.rip >= place->code &&
         registers.rip < place->code + PARKED_CODE_BYTES;
}

bool park_give_back(pid_t pid, const struct parking *place) {
  struct parked_block block;
  unsigned count = 0;
  if (!read_block(pid, place, &block)) return false;
  for (uint64_t i = 0; i < block.taken; i++)
    add_call(&block, &count, SYS_close, block.numbers[i], 0, 0);
  if (timerisset(&block.timer.it_value))
    add_call(&block, &count, SYS_setitimer, ITIMER_REAL,
             place->block + offsetof(struct parked_block, timer), 0);
  return count > 0 && set_calls(pid, place, &block);
}

int park_environ(pid_t pid, const struct parking *place, const uint8_t *words, uint32_t bytes) {
  struct parked_block block;
  if (!read_block(pid, place, &block)) return EFAULT;
  uint64_t stack = block.registers.rsp;
  uint64_t below = stack < place->block ? stack : place->block;
  int error = first_stack_copy(pid, &stack, below, words, bytes);
  if (error) return error;
  block.registers.rsp = stack;
  return copy(pid, place->block, &block, sizeof block, true) ? 0 : errno;
}

void park_end(pid_t pid, const struct parking *place) {
  struct parked_block block;
  if (!read_block(pid, place, &block)) return;
  block.registers.orig_rax = UINT64_MAX;
  if (ptrace(PTRACE_SETREGS, pid, NULL, &block.registers) < 0) return;
  poke_code(pid, place->code, block.before);
  memset(&block, 0, sizeof block);
  copy(pid, place->block, &block, sizeof block, true);
}

struct waiting {
  long call; /* of the system; -1: none */
  uint64_t stack, at;
};

/* proc_pid_syscall(5): "running", or numbers: the call, its arguments, the stack pointer and where
 * it will go on. AWAY: there is no such process; WAITS: it tells. */
static enum parked_state read_waiting(pid_t pid, struct waiting *waiting) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/%d/syscall", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (got <= 0) return PARKED_AWAY;
  text[got] = 0;
  char *last = strrchr(text, ' ');
  if (!last) return PARKED_UNKNOWN;
  waiting->at = strtoull(last, NULL, 16);
  *last = 0;
  last = strrchr(text, ' ');
  waiting->stack = last ? strtoull(last, NULL, 16) : 0;
  waiting->call = strtol(text, NULL, 10);
  return PARKED_WAITS;
}

enum parked_state park_look(pid_t pid, const struct parking *place) {
  struct waiting waiting;
  enum parked_state state = read_waiting(pid, &waiting);
  if (state != PARKED_WAITS) return state;
  uint64_t at = waiting.at;
  if (at == place->code + PARKED_WAITS_AT) return PARKED_WAITS;
  return at >= place->code && at < place->code + PARKED_CODE_BYTES ? PARKED_BUSY : PARKED_AWAY;
}

enum parked_state park_find(pid_t pid, struct parking *place) {
  struct waiting waiting;
  struct parked_block block;
  enum parked_state state = read_waiting(pid, &waiting);
  if (state != PARKED_WAITS) return state;
  /* At an exec it is still in that call. */
  if (waiting.call < 0 || waiting.call == SYS_execve || waiting.call == SYS_execveat ||
      waiting.call == SYS_setitimer)
    return PARKED_UNKNOWN;
  struct parking found = {block_below(waiting.stack), 0};
  if (waiting.call != SYS_pause || !read_block(pid, &found, &block) ||
      waiting.at != block.code + PARKED_WAITS_AT)
    return PARKED_AWAY;
  *place = (struct parking){found.block, block.code};
  return PARKED_WAITS;
}
