/* Conditions of traced calls, see the contract. Any words end: each is looked at once, those of a
 * walk once for each of its elements, and what is
 * out of bounds or cannot be known makes the outcome unknown, which counts as met. No
 * floating-point registers here: numbers of that kind become integers that are ordered as they are.
 */
#include "condition.h"
#include "cpu.h"
#include "passed.h"
#include "reads.h"

#define MOST 16
#define TEXT_BYTES 512
#define NO_PLACE ~0ul

/* A number from -2^63 to 2^64 - 1: the same bits mean two of them. */
struct value {
  u64 number;
  /* Written and read as one word: a processor waits where a word was written in parts. */
  u64 is_unknown : 1, is_negative : 1, is_nan : 1, unused : 61;
};

static const struct value unknown = {.is_unknown = 1};

static struct value plain(u64 number) { return (struct value){.number = number}; }

static struct value with_sign(u64 number) {
  return (struct value){.number = number, .is_negative = (long)number < 0};
}

static inline struct value cut(u64 number, u32 bytes, u32 is_signed) {
  u32 shift = bytes && bytes < 8 ? 64 - 8 * bytes : 0;
  number <<= shift;
  return is_signed ? with_sign((u64)((long)number >> shift)) : plain(number >> shift);
}

/* The bits of a single as those of a double. */
static u64 widen(u32 bits) {
  u64 sign = (u64)(bits >> 31) << 63, fraction = bits & 0x7fffff;
  long exponent = bits >> 23 & 0xff;
  if (exponent == 0xff) return sign | 0x7fful << 52 | fraction << 29;
  if (exponent == 0) {
    if (!fraction) return sign;
    for (exponent = 1; !(fraction & 0x800000); exponent--) fraction <<= 1;
    fraction &= 0x7fffff;
  }
  return sign | (u64)(exponent + 1023 - 127) << 52 | fraction << 29;
}

/* A signed integer that is ordered as the numbers are. */
static struct value key(u64 bits, u32 bytes) {
  if (bytes == 4) bits = widen((u32)bits);
  u64 size = bits & ~(1ul << 63);
  if (size > 0x7fful << 52) return (struct value){.number = 1, .is_nan = 1};
  return with_sign(bits == size ? size : (u64) - (long)size);
}

struct text {
  u8 bytes[TEXT_BYTES];
  u32 length; /* of what is in `bytes` */
  u64 whole;  /* bytes it has */
  int is_known, is_null;
};

/* What lies there: of a value that was passed in registers, in its copy. */
static u64 fetch(void *to, u64 from, u32 bytes, const u64 *copies) {
  if (from - (u64)copies > CONDITION_COPY_WORDS * 8 - bytes) return read_quickly(to, from, bytes);
  copy_bytes(to, (const void *)from, bytes);
  return bytes;
}

static void read_text(struct text *text, u64 address, u32 where, const u64 *copies) {
  text->is_known = 0;
  text->length = 0;
  text->is_null = !where && !address;
  if (where) {
    u64 length, from;
    if (fetch(&from, address + (where & 0xfff), 8, copies) != 8) return;
    if (fetch(&length, address + (where >> 12 & 0xfff), 8, copies) != 8) return;
    text->whole = length;
    u32 wanted = length < TEXT_BYTES ? (u32)length : TEXT_BYTES;
    text->is_known = read_quickly(text->bytes, from, wanted) == wanted;
    text->length = text->is_known ? wanted : 0;
    return;
  }
  if (!address) return;
  u32 got = read_text_quickly(text->bytes, address, TEXT_BYTES), length = 0;
  while (length < got && text->bytes[length]) length++;
  text->length = length;
  text->whole = length;
  text->is_known = length < got;
}

static int same(const u8 *a, const u8 *b, u32 count) {
  for (u32 i = 0; i < count; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

static struct value compare_text(u32 op, const struct text *text, const u8 *with, u32 length) {
  if (text->is_null) return plain(0);
  if (op == CONDITION_EQUALS_TEXT) {
    if (!text->is_known) return unknown;
    return plain(text->whole == length && same(text->bytes, with, length));
  }
  for (u32 at = 0; at + length <= text->length; at++)
    if (same(text->bytes + at, with, length)) return plain(1);
  if (!text->is_known || text->whole > text->length) return unknown;
  return plain(0);
}

/* Only a watch's code, which stays as it was handed in, may read directly: a policy's can be
 * replaced meanwhile. */
static struct value load(u64 address, u64 word, u64 direct, const u64 *copies) {
  u32 bytes = word >> 16 & 0xff;
  u64 number = 0;
  if (bytes > 8) return unknown;
  u64 got =
      word & direct ? read_own(&number, address, bytes) : fetch(&number, address, bytes, copies);
  if (got != bytes) return unknown;
  return (word & 0xff) == CONDITION_LOAD_FLOAT ? key(number, bytes)
                                               : cut(number, bytes, word >> 24 & 1);
}

static u64 size_of(struct value value) {
  return value.is_negative ? 0 - value.number : value.number;
}

static struct value of_size(u64 size, int is_negative) {
  if (!is_negative || !size) return plain(size);
  return size > 1ul << 63 ? unknown : with_sign(0 - size);
}

static struct value sum(struct value a, u64 y, int is_negative) {
  u64 x = size_of(a), size;
  if (a.is_negative != is_negative)
    return x >= y ? of_size(x - y, a.is_negative) : of_size(y - x, is_negative);
  return __builtin_add_overflow(x, y, &size) ? unknown : of_size(size, is_negative);
}

static struct value product(struct value a, struct value b) {
  u64 size;
  if (__builtin_mul_overflow(size_of(a), size_of(b), &size)) return unknown;
  return of_size(size, a.is_negative != b.is_negative);
}

/* Towards zero; the rest has the sign of what is divided. */
static struct value divide(u32 op, struct value a, struct value b) {
  if (!b.number) return unknown;
  if (op == CONDITION_REMAINDER) return of_size(size_of(a) % size_of(b), a.is_negative);
  return of_size(size_of(a) / size_of(b), a.is_negative != b.is_negative);
}

static struct value shift(u32 op, struct value a, struct value by) {
  if (by.is_negative || by.number > 63) return unknown;
  if (op == CONDITION_SHIFT_RIGHT)
    return a.is_negative ? with_sign((u64)((long)a.number >> by.number))
                         : plain(a.number >> by.number);
  u64 size = size_of(a) << by.number;
  return size >> by.number == size_of(a) ? of_size(size, a.is_negative) : unknown;
}

/* As of numbers with any number of bits. */
static struct value bits(u64 number, int is_negative) {
  if (!is_negative) return plain(number);
  return (long)number < 0 ? with_sign(number) : unknown;
}

static int is_less(struct value a, struct value b) {
  return a.is_negative != b.is_negative ? a.is_negative : a.number < b.number;
}

static int is_same(struct value a, struct value b) {
  return a.number == b.number && a.is_negative == b.is_negative;
}

static struct value compare(u32 op, struct value a, struct value b) {
  if (a.is_nan || b.is_nan) return plain(0);
  if (op == CONDITION_EQUAL) return plain(is_same(a, b));
  return plain(is_less(a, b) || (op == CONDITION_LESS_OR_EQUAL && is_same(a, b)));
}

static struct value binary(u32 op, struct value a, struct value b) {
  int false_a = !a.is_unknown && !a.number, false_b = !b.is_unknown && !b.number;
  int true_a = !a.is_unknown && a.number, true_b = !b.is_unknown && b.number;
  if (op == CONDITION_BOTH && (false_a || false_b)) return plain(0);
  if (op == CONDITION_EITHER && (true_a || true_b)) return plain(1);
  if (a.is_unknown || b.is_unknown) return unknown;
  switch (op) {
  case CONDITION_ADD: return sum(a, size_of(b), b.is_negative);
  case CONDITION_SUBTRACT: return sum(a, size_of(b), !b.is_negative);
  case CONDITION_MULTIPLY: return product(a, b);
  case CONDITION_DIVIDE:
  case CONDITION_REMAINDER: return divide(op, a, b);
  case CONDITION_SHIFT_LEFT:
  case CONDITION_SHIFT_RIGHT: return shift(op, a, b);
  case CONDITION_BIT_AND: return bits(a.number & b.number, a.is_negative & b.is_negative);
  case CONDITION_BIT_OR: return bits(a.number | b.number, a.is_negative | b.is_negative);
  case CONDITION_BIT_XOR: return bits(a.number ^ b.number, a.is_negative ^ b.is_negative);
  case CONDITION_LESS:
  case CONDITION_LESS_OR_EQUAL:
  case CONDITION_EQUAL: return compare(op, a, b);
  case CONDITION_BOTH: return plain(1);
  case CONDITION_EITHER: return plain(0);
  default: return unknown;
  }
}

/* The address of a copy of what was passed in registers. */
static struct value copied(u64 word, const struct registers *r, u64 *copies) {
  u32 which = (u32)(word >> 32), second = word >> 16 & 0xff;
  if (which >= CONDITION_COPIES_COUNT || second > 8) return unknown;
  u64 *copy = copies + 2 * which;
  passed_value((u8 *)copy, word >> 8 & 0xff, second, r);
  return plain((u64)copy);
}

/* Two C strings by their bytes, a part at a time. */
static struct value compare_texts(u64 one, u64 other) {
  u8 a[64], b[64];
  if (!one || !other) return unknown;
  for (u32 done = 0; done < CONDITION_MOST_COMPARED; done += sizeof a) {
    u32 got = read_text_quickly(a, one + done, sizeof a), count = got;
    got = read_text_quickly(b, other + done, sizeof b);
    if (got < count) count = got;
    for (u32 i = 0; i < count; i++) {
      if (a[i] != b[i]) return with_sign(a[i] < b[i] ? ~0ul : 1);
      if (!a[i]) return plain(0);
    }
    if (count < sizeof a) return unknown;
  }
  return unknown;
}

/* A walk over elements, see the contract. */
struct walk {
  u64 first, element, next;
  u32 steps;
};

/* What a walk leaves where all elements meet its test, or at one that does not. */
static struct value walked(u64 word, u64 failed) {
  int leaves_element = (word >> 8 & 0xff) != 0;
  return plain(leaves_element ? failed : !failed);
}

/* One word of a walk, whose operand is on top and becomes what the walk leaves. Returns by how many
 * words the code goes on elsewhere; `goes_on`: nothing is left yet. */
static int step_walk(struct walk *walk, u64 word, struct value *top, int *goes_on) {
  const u32 op = word & 0xff;
  const int distance = (int)(word >> 32);
  *goes_on = 0;
  if (op == CONDITION_WALK_TEST) {
    int has_failed = top->is_unknown || !top->number;
    int is_told = !top->is_unknown || (word >> 8 & 0xff);
    if (has_failed) {
      *top = is_told ? walked(word, walk->element) : unknown;
      return 0;
    }
    if (!walk->next || walk->next == walk->first) {
      *top = walked(word, 0);
      return 0;
    }
    if (++walk->steps >= CONDITION_MOST_STEPS) {
      *top = unknown;
      return 0;
    }
    walk->element = walk->next;
    *goes_on = 1;
    return -distance;
  }
  if (top->is_unknown) return distance;
  if (op == CONDITION_WALK) *walk = (struct walk){top->number, top->number, 0, 0};
  else walk->next = top->number;
  int names_next = word >> 24 & 1;
  if (!top->number && (op == CONDITION_WALK || names_next)) {
    *top = walked(word, 0);
    return distance;
  }
  *goes_on = 1;
  return 0;
}

/* Whether it puts a value on the stack. */
static inline int is_start(u32 op) {
  const u64 starts = 1ul << CONDITION_CONSTANT | 1ul << CONDITION_INTEGER | 1ul << CONDITION_STACK |
                     1ul << CONDITION_FLOAT | 1ul << CONDITION_VECTOR | 1ul << CONDITION_THREAD |
                     1ul << CONDITION_STACK_ADDRESS | 1ul << CONDITION_PASSED |
                     1ul << CONDITION_ELEMENT;
  return op < 64 && starts >> op & 1;
}

static struct value evaluate(const u64 *code, u32 words, const struct registers *r, u64 sp,
                             u64 direct, u64 *copies, u64 *address) {
  struct value stack[MOST];
  struct walk walk = {0};
  u32 used = 0, is_unread = 0;
  if (words > PROBE_MAX_WORDS) return unknown;
  for (u32 at = 0; at < words; at++) {
    u64 word = code[at];
    u32 op = word & 0xff, index = word >> 8 & 0xff, bytes = word >> 16 & 0xff,
        is_signed = word >> 24 & 1;
    if (is_start(op)) {
      if (used == MOST) return unknown;
      struct value *top = &stack[used++];
      switch (op) {
      case CONDITION_CONSTANT:
        *top = ++at < words ? (is_signed ? with_sign(code[at]) : plain(code[at])) : unknown;
        break;
      case CONDITION_INTEGER:
        *top = cut(r->integer[index < INTEGER_REGISTERS ? index : 0], bytes, is_signed);
        break;
      case CONDITION_STACK:
        *top = cut(((const u64 *)(sp + STACK_ARGUMENTS))[index] + (u64)((long)word >> 32), bytes,
                   is_signed);
        break;
      case CONDITION_VECTOR: *top = cut(r->vector[index & 7], bytes, 0); break;
      case CONDITION_THREAD: *top = plain(thread_pointer()); break;
      case CONDITION_STACK_ADDRESS: *top = plain(sp + STACK_ARGUMENTS + 8 * index); break;
      case CONDITION_PASSED: *top = copied(word, r, copies); break;
      case CONDITION_ELEMENT: *top = plain(index ? walk.next : walk.element); break;
      default: *top = key(r->vector[index & 7], bytes);
      }
      continue;
    }
    if (used == 0) return unknown;
    struct value *top = &stack[used - 1];
    if (op == CONDITION_LOAD || op == CONDITION_LOAD_FLOAT) {
      if (top->is_unknown) continue;
      u64 place = top->number + (u64)(long)(int)(word >> 32);
      *top = load(place, word, direct, copies);
      if (!is_unread) *address = place;
      is_unread |= top->is_unknown;
    } else if (op >= CONDITION_LENGTH && op <= CONDITION_CONTAINS_TEXT) {
      const u8 *with = (const u8 *)&code[at + 1];
      u32 taken = op == CONDITION_LENGTH ? 0 : (index + 7) / 8;
      if (at + taken >= words) return unknown;
      at += taken;
      if (top->is_unknown) continue;
      struct text text;
      read_text(&text, top->number, (u32)(word >> 32), copies);
      if (!is_unread && !text.is_known && !text.is_null) *address = top->number, is_unread = 1;
      if (op != CONDITION_LENGTH) *top = compare_text(op, &text, with, index);
      else *top = text.is_known || (text.length && word >> 32) ? plain(text.whole) : unknown;
    } else if (op == CONDITION_NOT) {
      *top = (struct value){.number = !top->number, .is_unknown = top->is_unknown};
    } else if (op == CONDITION_FITS) {
      if (is_signed ? !top->is_negative && top->number >> 63 : top->is_negative) *top = unknown;
    } else if (op >= CONDITION_WALK && op <= CONDITION_WALK_TEST) {
      int goes_on, by = step_walk(&walk, word, top, &goes_on);
      if (by > (int)(words - at) || by < -(int)at) return unknown;
      at = (u32)((int)at + by);
      used -= (u32)goes_on;
    } else {
      if (used < 2) return unknown;
      used--;
      int are_known = !stack[used - 1].is_unknown && !stack[used].is_unknown;
      if (op == CONDITION_COMPARE_TEXTS)
        stack[used - 1] =
            are_known ? compare_texts(stack[used - 1].number, stack[used].number) : unknown;
      else stack[used - 1] = binary(op, stack[used - 1], stack[used]);
    }
  }
  if (used != 1) return unknown;
  if (stack[0].is_unknown && !is_unread) *address = NO_PLACE;
  return stack[0];
}

int condition_met(const u64 *code, u32 words, const struct registers *r, u64 sp) {
  u64 address = 0, copies[CONDITION_COPY_WORDS];
  struct value value = evaluate(code, words, r, sp, 0, copies, &address);
  return value.is_unknown || value.number != 0;
}

int condition_value(const u64 *code, u32 words, const struct registers *r, u64 sp, u64 *copies,
                    u64 *number, u64 *address) {
  struct value value = evaluate(code, words, r, sp, LOAD_DIRECT, copies, address);
  *number = value.number;
  return !value.is_unknown;
}
