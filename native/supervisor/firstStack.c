/* See firstStack.h. */
#define _GNU_SOURCE
#include "firstStack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Of what is read: words of 8 bytes, names of variables at once, bytes of a name. */
enum { MOST_WORDS = 1 << 17, PART_WORDS = 512, NAMES = 64, NAME_BYTES = 64 };

struct first_stack {
  uint64_t words[MOST_WORDS];
  uint32_t count;
};

/* Words that were read before are not read once more. False: it ends before. */
static bool read_up_to(pid_t pid, uint64_t at, struct first_stack *stack, uint32_t count) {
  while (stack->count < count) {
    if (stack->count + PART_WORDS > MOST_WORDS) return false;
    struct iovec here = {stack->words + stack->count, PART_WORDS * 8};
    struct iovec there = {(void *)(uintptr_t)(at + stack->count * UINT64_C(8)), PART_WORDS * 8};
    ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (got < 8) return false;
    stack->count += (uint32_t)got / 8;
  }
  return true;
}

/* The number of the first word at or behind `from`, in steps, that is zero; 0: there is none. */
static uint32_t find_zero(pid_t pid, uint64_t at, struct first_stack *stack, uint32_t from,
                          uint32_t step) {
  for (uint32_t i = from; read_up_to(pid, at, stack, i + step); i += step)
    if (stack->words[i] == 0) return i;
  return 0;
}

static uint32_t name_bytes(const char *word) {
  const char *end = strchr(word, '=');
  return end && end - word < NAME_BYTES - 1 ? (uint32_t)(end - word) + 1 : 0;
}

/* Sets the word that bears a name, unless none does. */
static bool replace(pid_t pid, uint64_t *words, uint32_t count, const char *word, uint64_t to) {
  static char names[NAMES][NAME_BYTES];
  struct iovec here[NAMES], there[NAMES];
  uint32_t length = name_bytes(word);
  for (uint32_t first = 0; first < count; first += NAMES) {
    uint32_t some = count - first < NAMES ? count - first : NAMES;
    memset(names, 0, sizeof names);
    for (uint32_t i = 0; i < some; i++) {
      here[i] = (struct iovec){names[i], length};
      there[i] = (struct iovec){(void *)(uintptr_t)words[first + i], length};
    }
    if (process_vm_readv(pid, here, some, there, some, 0) < 0) return false;
    for (uint32_t i = 0; i < some; i++) {
      if (memcmp(names[i], word, length) != 0) continue;
      words[first + i] = to;
      return true;
    }
  }
  return false;
}

struct written {
  uint64_t *words; /* with room for all */
  uint32_t count;
};

static int write_copy(pid_t pid, const struct written *made, uint64_t at, const uint8_t *text,
                      uint32_t bytes, uint64_t text_at) {
  struct iovec here[] = {{made->words, made->count * UINT64_C(8)},
                         {(void *)(uintptr_t)text, bytes}};
  struct iovec there[] = {{(void *)(uintptr_t)at, here[0].iov_len},
                          {(void *)(uintptr_t)text_at, bytes}};
  ssize_t done = process_vm_writev(pid, here, 2, there, 2, 0);
  if (done < 0) return errno;
  return done == (ssize_t)(here[0].iov_len + bytes) ? 0 : EFAULT;
}

static uint32_t count_words(const uint8_t *text, uint32_t bytes) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < bytes; i++) count += text[i] == 0;
  return count;
}

static int copy_with(pid_t pid, uint64_t *stack, uint64_t below, const uint8_t *text,
                     uint32_t bytes, struct first_stack *read) {
  if (!read_up_to(pid, *stack, read, 1)) return EFAULT;
  if (read->words[0] > MOST_WORDS) return E2BIG;
  uint32_t environment = (uint32_t)read->words[0] + 2;
  uint32_t end = find_zero(pid, *stack, read, environment, 1);
  uint32_t last = end ? find_zero(pid, *stack, read, end + 1, 2) : 0; /* AT_NULL */
  uint32_t added = count_words(text, bytes);
  if (last == 0 || last + 2 + added > MOST_WORDS) return E2BIG;
  struct written made = {malloc((last + 2 + added) * UINT64_C(8)), 0};
  if (!made.words) return ENOMEM;
  uint64_t text_at = below - bytes;
  memcpy(made.words, read->words, end * UINT64_C(8));
  made.count = end;
  for (const uint8_t *word = text; word < text + bytes; word += strlen((const char *)word) + 1) {
    uint64_t at = text_at + (uint64_t)(word - text);
    if (!replace(pid, made.words + environment, made.count - environment, (const char *)word, at))
      made.words[made.count++] = at;
  }
  memcpy(made.words + made.count, read->words + end, (last + 2 - end) * UINT64_C(8));
  made.count += last + 2 - end;
  uint64_t at = (text_at - made.count * UINT64_C(8)) & ~UINT64_C(15);
  int error = write_copy(pid, &made, at, text, bytes, text_at);
  if (error == 0) *stack = at;
  free(made.words);
  return error;
}

int first_stack_copy(pid_t pid, uint64_t *stack, uint64_t below, const uint8_t *words,
                     uint32_t bytes) {
  if (bytes == 0 || words[bytes - 1] != 0) return EPROTO;
  struct first_stack *read = malloc(sizeof *read);
  if (!read) return ENOMEM;
  read->count = 0;
  int error = copy_with(pid, stack, below, words, bytes, read);
  free(read);
  return error;
}
