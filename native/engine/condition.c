/* Conditions of traced calls, see the contract. Any words end: each is looked at once, and what is out
 * of bounds or cannot be known makes the outcome unknown, which counts as met. No floating-point
 * registers here: numbers of that kind become integers that are ordered as they are. */
#include "reads.h"

#define MOST 16
#define TEXT_BYTES 512

struct value {
  u64 number;
  int is_unknown;
};

static const struct value unknown = {0, 1};

static struct value cut(u64 number, u32 bytes, u32 is_signed) {
  u32 shift = bytes && bytes < 8 ? 64 - 8 * bytes : 0;
  number <<= shift;
  return (struct value){is_signed ? (u64)((long)number >> shift) : number >> shift, 0};
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

/* A signed integer that is ordered as the numbers are; of a NaN nothing is known. */
static struct value key(u64 bits, u32 bytes) {
  if (bytes == 4) bits = widen((u32)bits);
  u64 size = bits & ~(1ul << 63);
  if (size > 0x7fful << 52) return unknown;
  return (struct value){bits == size ? size : (u64)-(long)size, 0};
}

struct text {
  u8 bytes[TEXT_BYTES];
  u32 length;  /* of what is in `bytes` */
  u64 whole;   /* bytes it has */
  int is_known;
};

static void read_text(struct text *text, u64 address, u32 where) {
  text->is_known = 0;
  text->length = 0;
  if (where) {
    u64 length, from;
    if (read_quickly(&from, address + (where & 0xfff), 8) != 8) return;
    if (read_quickly(&length, address + (where >> 12 & 0xfff), 8) != 8) return;
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
  if (op == CONDITION_EQUALS_TEXT) {
    if (!text->is_known) return unknown;
    return (struct value){text->whole == length && same(text->bytes, with, length), 0};
  }
  for (u32 at = 0; at + length <= text->length; at++)
    if (same(text->bytes + at, with, length)) return (struct value){1, 0};
  if (!text->is_known || text->whole > text->length) return unknown;
  return (struct value){0, 0};
}

/* Only a watch's code, which stays as it was handed in, may read directly: a policy's can be replaced meanwhile. */
static struct value load(u64 address, u64 word, u64 direct) {
  u32 bytes = word >> 16 & 0xff;
  u64 number = 0;
  if (bytes > 8) return unknown;
  u64 got = word & direct ? read_own(&number, address, bytes) : read_quickly(&number, address, bytes);
  if (got != bytes) return unknown;
  return (word & 0xff) == CONDITION_LOAD_FLOAT ? key(number, bytes) : cut(number, bytes, word >> 24 & 1);
}

static struct value divide(u32 op, u64 a, u64 b, u32 is_signed) {
  if (b == 0 || (is_signed && b == ~0ul && a == 1ul << 63)) return unknown;
  int wants_rest = op == CONDITION_REMAINDER;
  if (!is_signed) return (struct value){wants_rest ? a % b : a / b, 0};
  return (struct value){(u64)(wants_rest ? (long)a % (long)b : (long)a / (long)b), 0};
}

static struct value binary(u32 op, struct value left, struct value right, u32 is_signed) {
  u64 a = left.number, b = right.number;
  int false_left = !left.is_unknown && !a, false_right = !right.is_unknown && !b;
  int true_left = !left.is_unknown && a, true_right = !right.is_unknown && b;
  if (op == CONDITION_BOTH && (false_left || false_right)) return (struct value){0, 0};
  if (op == CONDITION_EITHER && (true_left || true_right)) return (struct value){1, 0};
  if (left.is_unknown || right.is_unknown) return unknown;
  switch (op) {
    case CONDITION_ADD: return (struct value){a + b, 0};
    case CONDITION_SUBTRACT: return (struct value){a - b, 0};
    case CONDITION_MULTIPLY: return (struct value){a * b, 0};
    case CONDITION_DIVIDE:
    case CONDITION_REMAINDER: return divide(op, a, b, is_signed);
    case CONDITION_SHIFT_LEFT: return b > 63 ? unknown : (struct value){a << b, 0};
    case CONDITION_SHIFT_RIGHT:
      if (b > 63) return unknown;
      return (struct value){is_signed ? (u64)((long)a >> b) : a >> b, 0};
    case CONDITION_BIT_AND: return (struct value){a & b, 0};
    case CONDITION_BIT_OR: return (struct value){a | b, 0};
    case CONDITION_BIT_XOR: return (struct value){a ^ b, 0};
    case CONDITION_LESS: return (struct value){is_signed ? (long)a < (long)b : a < b, 0};
    case CONDITION_LESS_OR_EQUAL: return (struct value){is_signed ? (long)a <= (long)b : a <= b, 0};
    case CONDITION_EQUAL: return (struct value){a == b, 0};
    case CONDITION_BOTH: return (struct value){1, 0};
    case CONDITION_EITHER: return (struct value){0, 0};
    default: return unknown;
  }
}

static struct value evaluate(const u64 *code, u32 words, const struct registers *r, u64 sp, u64 direct, u64 *address) {
  struct value stack[MOST];
  u32 used = 0;
  if (words > POLICY_MAX_WORDS) return unknown;
  for (u32 at = 0; at < words; at++) {
    u64 word = code[at];
    u32 op = word & 0xff, index = word >> 8 & 0xff, bytes = word >> 16 & 0xff, is_signed = word >> 24 & 1;
    int is_start = (op >= CONDITION_CONSTANT && op <= CONDITION_FLOAT) || op == CONDITION_VECTOR || op == CONDITION_THREAD;
    if (used < MOST && is_start) {
      struct value *top = &stack[used++];
      if (op == CONDITION_CONSTANT) *top = ++at < words ? (struct value){code[at], 0} : unknown;
      else if (op == CONDITION_INTEGER) *top = cut(r->integer[index < INTEGER_REGISTERS ? index : 0], bytes, is_signed);
      else if (op == CONDITION_STACK) *top = cut(((const u64 *)(sp + STACK_ARGUMENTS))[index], bytes, is_signed);
      else if (op == CONDITION_VECTOR) *top = cut(r->vector[index & 7], bytes, 0);
      else if (op == CONDITION_THREAD) *top = (struct value){thread_pointer(), 0};
      else *top = key(r->vector[index & 7], bytes);
      continue;
    }
    if (used == 0) return unknown;
    struct value *top = &stack[used - 1];
    if (op == CONDITION_LOAD || op == CONDITION_LOAD_FLOAT) {
      if (top->is_unknown) continue;
      *address = top->number + (u64)(long)(int)(word >> 32);
      *top = load(*address, word, direct);
    } else if (op >= CONDITION_LENGTH && op <= CONDITION_CONTAINS_TEXT) {
      const u8 *with = (const u8 *)&code[at + 1];
      u32 taken = op == CONDITION_LENGTH ? 0 : (index + 7) / 8;
      if (at + taken >= words) return unknown;
      at += taken;
      if (top->is_unknown) continue;
      struct text text;
      read_text(&text, top->number, (u32)(word >> 32));
      if (op != CONDITION_LENGTH) *top = compare_text(op, &text, with, index);
      else *top = text.is_known || text.length ? (struct value){text.whole, !text.is_known && !(word >> 32)} : unknown;
    } else if (op == CONDITION_NOT) {
      top->number = !top->number;
    } else {
      if (used < 2) return unknown;
      used--;
      stack[used - 1] = binary(op, stack[used - 1], stack[used], is_signed);
    }
  }
  return used == 1 ? stack[0] : unknown;
}

int condition_met(const u64 *code, u32 words, const struct registers *r, u64 sp) {
  u64 address = 0;
  struct value value = evaluate(code, words, r, sp, 0, &address);
  return value.is_unknown || value.number != 0;
}

int condition_value(const u64 *code, u32 words, const struct registers *r, u64 sp, u64 *number, u64 *address) {
  struct value value = evaluate(code, words, r, sp, LOAD_DIRECT, address);
  *number = value.number;
  return !value.is_unknown;
}
