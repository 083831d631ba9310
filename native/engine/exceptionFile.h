/* Writes into an exception file (src/protocol/exceptionFile.ts), which is mapped at `file`. */
#ifndef STROBE_EXCEPTION_FILE_H
#define STROBE_EXCEPTION_FILE_H

#include "cpu.h"

#define EXCEPTION_FILE_BYTES (EXCEPTION_HEADER_BYTES + EXCEPTION_BYTES)

struct exception_head {
  u32 length, kind;
  u64 time;
  u32 pid, tid;
  u64 exception, language;
  u32 type_bytes, message_bytes, stack_bytes, message;
  u64 registers[EXCEPTION_REGISTERS];
};
_Static_assert(sizeof(struct exception_head) == EXCEPTION_HEAD_BYTES, "the head is the contract's");
_Static_assert(__builtin_offsetof(struct exception_head, registers) == EXCEPTION_HEAD_REGISTERS,
               "the head is the contract's");

/* What a record holds behind its head: type, message and stack, as long as the head says. */
struct exception_parts {
  const void *type, *message;
  u64 stack;
};

static inline u64 *exception_header(u8 *file, u32 offset) { return (u64 *)(file + offset); }

/* `pid`: of the process that writes. Returns whether it has the lock. */
int exception_lock(u8 *file, u32 pid);
void exception_unlock(u8 *file);
/* With the lock held. Returns 0 when there is no room. */
int exception_put(u8 *file, u32 pid, struct exception_head *head,
                  const struct exception_parts *parts);
void exception_count(u8 *file, u32 offset);
/* Of one that is raised now: a flood is thinned, and what is left out costs no system call. */
int exception_is_wanted(void);
/* The recorded exceptions that may be caught yet. With the lock held: */
void exception_remember(u64 exception);
void exception_forget(u64 exception);
int exception_is_known(u64 exception);

#endif
