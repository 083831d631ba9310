/* See entry.h. */
#define _GNU_SOURCE
#include "entry.h"
#include "realPtrace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <unistd.h>

enum { MOST_ENTRIES = 64 };

/* proc_pid_auxv(5). 0: it has none of that type. */
static uint64_t auxiliary(pid_t tid, uint64_t type) {
  char path[64];
  Elf64_auxv_t all[MOST_ENTRIES];
  snprintf(path, sizeof path, "/proc/%d/auxv", tid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : read(file, all, sizeof all);
  if (file >= 0) close(file);
  for (ssize_t i = 0; i < got / (ssize_t)sizeof *all; i++)
    if (all[i].a_type == type) return all[i].a_un.a_val;
  return 0;
}

static bool peek(pid_t tid, uint64_t at, uint64_t *word) {
  errno = 0;
  *word = (uint64_t)real_ptrace()(PTRACE_PEEKDATA, tid, (void *)(uintptr_t)at, NULL);
  return errno == 0;
}

static bool poke(pid_t tid, uint64_t at, uint64_t word) {
  return real_ptrace()(PTRACE_POKEDATA, tid, (void *)(uintptr_t)at, (void *)(uintptr_t)word) == 0;
}

/* The program headers follow the ELF header. */
static uint64_t place_of_entry(pid_t tid) {
  uint64_t headers = auxiliary(tid, AT_PHDR);
  return headers == 0 ? 0 : headers - sizeof(Elf64_Ehdr) + offsetof(Elf64_Ehdr, e_entry);
}

void entry_correct(struct held *held) {
  uint64_t at = place_of_entry(held->tid), begins = auxiliary(held->tid, AT_ENTRY), said, kind;
  if (at == 0 || begins == 0 || held->entry != 0) return;
  uint64_t header = at - offsetof(Elf64_Ehdr, e_entry);
  if (!peek(held->tid, header + offsetof(Elf64_Ehdr, e_type), &kind) || (kind & 0xffff) != ET_DYN ||
      !peek(held->tid, at, &said) || header + said == begins)
    return;
  held_note(held, at, said);
  if (poke(held->tid, at, begins - header)) held->entry = at;
}

void entry_restore(struct held *held) {
  uint64_t said;
  if (held->entry == 0 || !held_before(held, held->entry, &said)) return;
  if (poke(held->tid, held->entry, said)) held_forget(held, held->entry);
  held->entry = 0;
}
