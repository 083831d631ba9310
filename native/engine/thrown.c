/* See thrown.h. The layouts are those of libstdc++, libc++abi and Rust's panic_unwind; whatever
 * does not look like one of them is left unsaid. */
#include "thrown.h"
#include "raw.h"

#define CLASS_GNU 0x474e5543432b2b00ul
#define CLASS_LLVM 0x434c4e47432b2b00ul
#define DEPENDENT 1 /* last byte of the class: the exception of a std::exception_ptr */
#define RUST 0x54535552005a4f4dul /* "MOZ\0RUST", and as a number */
#define RUST_NUMBER 0x4d4f5a0052555354ul
#define HEADER_BYTES 32ul
#define TYPE_BEFORE 80ul /* __cxa_exception.exceptionType, from the unwinder's header */
#define PANIC_CAUSE 40ul /* Box<dyn Any + Send>, behind header and canary */
#define MOST_BASES 8
#define MOST_DEPTH 8
#define OBJECT_WORDS 8
#define MOST_TEXT 0x1000000ul

static u64 read_at(struct thrown *thrown, void *to, u64 from, u64 length) {
  struct memory_range local = {to, length}, remote = {(const void *)from, length};
  if (from < 4096) return 0;
  long got = raw6(__NR_process_vm_readv, thrown->pid, &local, 1, &remote, 1, 0);
  return got < 0 ? 0 : (u64)got;
}

static u64 word(struct thrown *thrown, u64 from) {
  u64 value = 0;
  return read_at(thrown, &value, from, 8) == 8 ? value : 0;
}

/* A C string, piece by piece: it may end before the end of what is mapped. */
static u32 read_text(struct thrown *thrown, u8 *to, u64 from, u32 most) {
  u32 length = 0;
  while (length < most) {
    u32 step = 32 - (u32)((from + length) & 31);
    if (step > most - length) step = most - length;
    if (read_at(thrown, to + length, from + length, step) != step) return 0;
    for (u32 end = length + step; length < end; length++)
      if (!to[length]) return length;
  }
  return length;
}

static int is_name(const u8 *name, u32 length, const char *wanted) {
  u32 i = 0;
  while (i < length && wanted[i] && name[i] == (u8)wanted[i]) i++;
  return i == length && !wanted[i];
}

/* Where in an object of this type its base of std::runtime_error or std::logic_error lies, or -1.
 * type_info: vtable, name, then for one base that base, for several flags, their number and each
 * with offset << 8 (Itanium C++ ABI §2.9.5). */
static long message_base(struct thrown *thrown, u64 type, u32 depth) {
  u8 name[32];
  u64 words[4] = {0, 0, 0, 0};
  if (depth > MOST_DEPTH || read_at(thrown, words, type, 16) != 16) return -1;
  u32 length = read_text(thrown, name, words[1], sizeof name);
  if (length == 0) return -1;
  if (is_name(name, length, "St13runtime_error") || is_name(name, length, "St11logic_error"))
    return 0;
  if (read_at(thrown, words, type, 32) != 32) return -1;
  long at = message_base(thrown, words[2], depth + 1);
  if (at >= 0) return at;
  u32 count = (u32)(words[2] >> 32);
  for (u32 i = 0; i < count && count <= MOST_BASES; i++) {
    u64 base[2];
    if (read_at(thrown, base, type + 24 + 16 * i, 16) != 16) break;
    at = message_base(thrown, base[0], depth + 1);
    if (at >= 0 && !(base[1] & 1)) return at + (long)(base[1] >> 8);
  }
  return -1;
}

static int is_text(const u8 *text, u32 length) {
  for (u32 i = 0; i < length; i++)
    if (text[i] < 32 && text[i] != '\n' && text[i] != '\t') return 0;
  return length > 0;
}

static int take_text(struct thrown *thrown, u64 from, u64 length, u32 how) {
  if (length > EXCEPTION_MESSAGE_BYTES) length = EXCEPTION_MESSAGE_BYTES;
  if (read_at(thrown, thrown->message, from, length) != length) return 0;
  if (how == EXCEPTION_TEXT_FOUND && !is_text(thrown->message, (u32)length)) return 0;
  thrown->message_bytes = (u32)length;
  thrown->message_is = how;
  return 1;
}

/* std::string of libstdc++: pointer, length, then capacity or the text itself. */
static int take_string(struct thrown *thrown, u64 at, u32 how) {
  u64 words[3];
  if (read_at(thrown, words, at, 24) != 24 || words[1] > MOST_TEXT) return 0;
  int is_inside = words[0] == at + 16;
  if (is_inside ? words[1] > 15 : words[2] < words[1] || words[2] > MOST_TEXT) return 0;
  return take_text(thrown, words[0], words[1], how);
}

static void take_message(struct thrown *thrown, u64 type, u64 object) {
  const u8 *name = thrown->type;
  u32 length = thrown->type_bytes;
  long base = message_base(thrown, type, 0);
  u8 *text = thrown->message;
  if (base >= 0 || is_name(name, length, "PKc") || is_name(name, length, "Pc")) {
    u64 from = word(thrown, base >= 0 ? object + (u64)base + 8 : object);
    thrown->message_bytes = read_text(thrown, text, from, EXCEPTION_MESSAGE_BYTES);
    thrown->message_is = EXCEPTION_TEXT_KNOWN;
    return;
  }
  if (is_name(name, length, "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")) {
    take_string(thrown, object, EXCEPTION_TEXT_KNOWN);
    return;
  }
  /* One letter: a number (§5.1.5.2). */
  if (length == 1 && read_at(thrown, text, object, 8) >= 4) {
    thrown->message_bytes = 8;
    thrown->message_is = EXCEPTION_TEXT_VALUE;
    return;
  }
  for (u32 i = 0; i < OBJECT_WORDS; i++)
    if (take_string(thrown, object + 8 * i, EXCEPTION_TEXT_FOUND)) return;
}

/* The payload of panic! is a String or a &'static str; of String the order of the words is rustc's.
 */
static void take_panic(struct thrown *thrown, u64 exception) {
  u64 data = word(thrown, exception + PANIC_CAUSE),
      table = word(thrown, exception + PANIC_CAUSE + 8);
  u64 size = word(thrown, table + 8), words[3] = {0, 0, 0};
  if ((size != 16 && size != 24) || read_at(thrown, words, data, size) != size) return;
  if (size == 16) take_text(thrown, words[0], words[1], EXCEPTION_TEXT_FOUND);
  else if (words[2] <= words[0]) take_text(thrown, words[1], words[2], EXCEPTION_TEXT_FOUND);
  if (thrown->message_bytes) thrown->message_is = EXCEPTION_TEXT_KNOWN;
}

void thrown_object(struct thrown *thrown, u64 type, u64 object) {
  thrown->type_bytes =
      read_text(thrown, thrown->type, word(thrown, type + 8), EXCEPTION_TYPE_BYTES);
  /* A star in front: the name is compared by its address. */
  if (thrown->type_bytes && thrown->type[0] == '*') {
    thrown->type_bytes--;
    for (u32 i = 0; i < thrown->type_bytes; i++) thrown->type[i] = thrown->type[i + 1];
  }
  take_message(thrown, type, object);
}

void thrown_read(struct thrown *thrown, u64 exception) {
  thrown->language = word(thrown, exception);
  u64 vendor = thrown->language & ~0xfful;
  if (thrown->language == RUST || thrown->language == RUST_NUMBER) take_panic(thrown, exception);
  if (vendor != CLASS_GNU && vendor != CLASS_LLVM) return;
  u64 object = exception + HEADER_BYTES, holder = exception;
  if ((thrown->language & 0xff) == DEPENDENT) {
    object = word(thrown, exception - TYPE_BEFORE);
    holder = object - HEADER_BYTES;
  }
  thrown_object(thrown, word(thrown, holder - TYPE_BEFORE), object);
}
