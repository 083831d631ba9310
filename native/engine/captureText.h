/* Text and bytes that an argument leads to: u32 bytes, u32 flags, the bytes, zeros up to 8; in
 * place of what cannot be read its address. All append to words[used..room) and return the new
 * count. */
#ifndef STROBE_CAPTURE_TEXT_H
#define STROBE_CAPTURE_TEXT_H

#include "types.h"

/* What the operation of a filled buffer says (record.ts). `THROUGH`: the register behind it, 0:
 * none. */
#define FILLED_REGISTER(op) ((op) >> 8 & 0xff)
#define FILLED_THROUGH(op) ((op) >> 16 & 0xff)
#define FILLED_WITH_RESULT(op) ((op) >> 24 & 1)
#define FILLED_PARTS(op) ((op) >> 25 & 1)
#define FILLED_MESSAGE(op) ((op) >> 26 & 1)
#define FILLED_OR_PEER(op) ((op) >> 27 & 1)

/* In one store: it is loaded as one word when the record is written. */
static inline void put_header(u64 *word, u32 bytes, u32 flags) { *word = bytes | (u64)flags << 32; }

/* As capture_string, where there is room and an address. */
u32 capture_string_at(u64 *words, u32 used, u32 room, u64 address, u32 limit);

/* A C string. */
static inline u32 capture_string(u64 *words, u32 used, u32 room, u64 address, u32 limit) {
  if (used >= room) return used;
  if (address) return capture_string_at(words, used, room, address, limit);
  put_header(&words[used], 0, STRING_IS_NULL);
  return used + 1;
}

/* What an object holds whose first words are known; `copy`: the same, known to be readable. */
u32 capture_held(u64 *words, u32 used, u32 room, u64 first, u64 count, u32 unit, u32 limit,
                 const u8 *copy);
/* What the parts of a struct iovec hold, one after the other, at most `most` bytes. With
 * `of_message` the address is of the struct msghdr that leads to them. */
u32 capture_parts(u64 *words, u32 used, u32 room, u64 address, u64 count, int of_message, u64 most,
                  u32 limit);
/* What the object at `address` holds. */
u32 capture_object(u64 *words, u32 used, u32 room, u64 address, u32 where, u32 limit);
/* The text at `address`, or which the object there holds as `where` says. */
u32 capture_text(u64 *words, u32 used, u32 room, u64 address, u32 where, u32 limit);

#endif
