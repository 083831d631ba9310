/* See captureText.h. */
#include "captureText.h"
#include "raw.h"
#include "reads.h"

#define SHORT_TEXT 32
#define HELD_COUNT_MAX 0x10000000000ul
#define HELD_LENGTH_MAX 0x1ffffffful

static u32 unreadable(u64 *words, u32 used, u32 room, u32 flags) {
  if (used >= room) return used;
  words[used] = (u64)flags << 32;
  return used + 1;
}

static u32 unreadable_at(u64 *words, u32 used, u32 room, u64 address) {
  u32 begin = used;
  used = unreadable(words, used, room, STRING_UNREADABLE);
  if (used >= room) return used;
  put_header(&words[begin], 8, STRING_UNREADABLE);
  words[used] = address;
  return used + 1;
}

u32 capture_string_at(u64 *words, u32 used, u32 room, u64 address, u32 limit) {
  u8 *text = (u8 *)&words[used + 1];
  u32 space = (room - used - 1) * 8;
  if (limit >= space) limit = space ? space - 1 : 0;
  u32 got = read_text_quickly(text, address, limit + 1);
  if (!got) return unreadable_at(words, used, room, address);
  u32 length = text_length(&words[used + 1], got);
  if (length > limit) length = limit;
  put_header(&words[used], length, length == got || text[length] ? STRING_TRUNCATED : 0);
  if (length % 8) words[used + 1 + length / 8] &= (1ul << length % 8 * 8) - 1;
  return used + 1 + (length + 7) / 8;
}

/* What lies at `address`, at most `limit` bytes of `length`; `copy`: the same, known to be
 * readable. */
static u32 capture_bytes(u64 *words, u32 used, u32 room, u64 address, u64 length, u32 limit,
                         const u8 *copy) {
  if (used >= room) return used;
  u8 *to = (u8 *)&words[used + 1];
  u32 space = (room - used - 1) * 8;
  u32 wanted = limit < space ? limit : space;
  u32 flags = 0;
  if (length < wanted) wanted = (u32)length;
  else if (length > wanted) flags = STRING_TRUNCATED;
  u32 got = wanted;
  if (copy && length <= wanted) copy_words((u64 *)to, copy, wanted);
  else if (wanted) got = (u32)read_quickly(to, address, wanted);
  if (!got && wanted) return unreadable_at(words, used, room, address);
  if (got < wanted) flags |= STRING_TRUNCATED;
  u64 known = length < HELD_LENGTH_MAX ? length : HELD_LENGTH_MAX;
  put_header(&words[used], got, flags | (u32)known << STRING_LENGTH_SHIFT);
  if (got % 8) words[used + 1 + got / 8] &= (1ul << got % 8 * 8) - 1;
  return used + 1 + (got + 7) / 8;
}

u32 capture_held(u64 *words, u32 used, u32 room, u64 first, u64 count, u32 unit, u32 limit,
                 const u8 *copy) {
  u64 length = unit ? count * unit : count - first;
  /* Never made, or destroyed: no object has such a length. */
  if (count > HELD_COUNT_MAX && unit) return unreadable(words, used, room, STRING_UNREADABLE);
  if (!unit && (count < first || length > HELD_COUNT_MAX))
    return unreadable(words, used, room, STRING_UNREADABLE);
  return capture_bytes(words, used, room, first, length, limit, copy);
}

/* More parts are not looked at. */
#define PARTS_MAX 64
#define MESSAGE_PARTS 16

u32 capture_parts(u64 *words, u32 used, u32 room, u64 address, u64 count, int of_message, u64 most,
                  u32 limit) {
  u64 part[2] = {address, count}, total = 0;
  if (used >= room) return used;
  if (of_message && read_quickly(part, address + MESSAGE_PARTS, sizeof part) != sizeof part)
    return unreadable_at(words, used, room, address);
  address = part[0];
  count = part[1] < PARTS_MAX ? part[1] : PARTS_MAX;
  u8 *to = (u8 *)&words[used + 1];
  u32 space = (room - used - 1) * 8, got = 0;
  if (limit > space) limit = space;
  for (u64 i = 0; i < count && total < most; i++) {
    if (read_quickly(part, address + i * sizeof part, sizeof part) != sizeof part) break;
    u64 length = part[1] < most - total ? part[1] : most - total;
    u32 wanted = length < limit - got ? (u32)length : limit - got;
    if (total == got && wanted) got += (u32)read_quickly(to + got, part[0], wanted);
    total += length;
  }
  u64 known = total < HELD_LENGTH_MAX ? total : HELD_LENGTH_MAX;
  put_header(&words[used], got,
             (got < total ? STRING_TRUNCATED : 0) | (u32)known << STRING_LENGTH_SHIFT);
  if (got % 8) words[used + 1 + got / 8] &= (1ul << got % 8 * 8) - 1;
  return used + 1 + (got + 7) / 8;
}

u32 capture_object(u64 *words, u32 used, u32 room, u64 address, u32 where, u32 limit) {
  u32 pointer_at = where & 0xfff, length_at = where >> 12 & 0xfff;
  if (!address) return unreadable(words, used, room, STRING_IS_NULL);
  u32 low = pointer_at < length_at ? pointer_at : length_at;
  u32 high = (pointer_at < length_at ? length_at : pointer_at) + 8;
  u8 window[128];
  if (high - low > sizeof window - SHORT_TEXT)
    return unreadable(words, used, room, STRING_UNREADABLE);
  u64 start = address + low, got = read_quickly(window, start, high - low + SHORT_TEXT);
  if (got < high - low) return unreadable(words, used, room, STRING_UNREADABLE);
  u64 first = *(u64 *)(window + pointer_at - low), count = *(u64 *)(window + length_at - low);
  /* Short text lies in the object itself. */
  u64 before = first - start;
  int is_inside = where >> 24 == 1 && before <= got && count <= got - before;
  return capture_held(words, used, room, first, count, where >> 24, limit,
                      is_inside ? window + before : 0);
}

u32 capture_text(u64 *words, u32 used, u32 room, u64 address, u32 where, u32 limit) {
  return where ? capture_object(words, used, room, address, where, limit)
               : capture_string(words, used, room, address, limit);
}
