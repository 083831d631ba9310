/* The code of a function that is to be hooked. */
#ifndef STROBE_FUNCTION_CODE_H
#define STROBE_FUNCTION_CODE_H

#include "types.h"

/* What a function that is called or jumped to looks at: at who called it, as dlsym does, or also at
 * who called that, as mcount does. */
enum looks { LOOKS_AT_NONE, LOOKS_AT_CALLER, LOOKS_FURTHER };

struct function_code {
  const u8 *bytes; /* at its entry; those around it lie beside them */
  u64 address;
  u64 before, room; /* bytes that can be read before the entry, and from there on */
  u32 size;         /* 0: unknown */
  u32 next;         /* bytes to the next function that is known; 0: unknown or far */
  /* Of the function whose address a word of the linker's holds; may be null. */
  enum looks (*looks_of)(u64 word);
  /* Whether a byte of it is the file's, and not a debugger's; may be null. */
  int (*is_of_file)(u64 address, u8 byte);
  /* Whether an int3 of the stopper stands there, and what it replaced; may be null. */
  int (*is_planted)(u64 address, u8 *original);
};

#define LONGEST_READ 16

/* The code of one instruction as it is without an int3 of the stopper: the same, or a copy. */
static inline const u8 *without_plant(const struct function_code *function, const u8 *code,
                                      u64 room, u64 address, u8 copy[LONGEST_READ]) {
  u8 original;
  if (!room || *code != 0xcc || !function->is_planted || !function->is_planted(address, &original))
    return code;
  for (u32 i = 0; i < LONGEST_READ; i++) copy[i] = i < room ? code[i] : 0;
  copy[0] = original;
  return copy;
}

#endif
