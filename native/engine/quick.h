/* What most conditions and values at statements are: a register, what lies at a distance from one
 * in the frame, a constant, or two of these compared. They need no machine (condition.h). */
#ifndef STROBE_QUICK_H
#define STROBE_QUICK_H

#include "reads.h"
#include "record.h"

enum { OPERAND_CONSTANT, OPERAND_REGISTER, OPERAND_MEMORY };

struct operand {
  u8 kind, index, bytes, is_signed;
  int offset;
  u64 constant;
};

struct quick {
  struct operand of[2];
  u8 operands; /* 0: it is none of these */
  u8 comparison, is_not;
};

/* From code of the form of conditions. */
struct quick quick_of(const u64 *code, u32 words);

/* Whether the word lies in the page of the saved registers, which were just written: as most locals
 * do. */
static inline int is_beside(const u64 *registers, u64 at) {
  u64 page = (u64)registers >> PAGE_SHIFT;
  return at >> PAGE_SHIFT == page && (at + sizeof(u64) - 1) >> PAGE_SHIFT == page;
}

static inline int operand_value(const struct operand *operand, const u64 *registers, u64 *number) {
  if (operand->kind == OPERAND_CONSTANT) {
    *number = operand->constant;
    return 1;
  }
  u64 word = registers[operand->index] + (u64)(long)operand->offset;
  if (operand->kind == OPERAND_MEMORY) {
    if (is_beside(registers, word)) word = *(const volatile u64 *)word;
    else if (!read_own_word(&word, word, operand->bytes)) return 0;
  }
  u32 shift = operand->bytes && operand->bytes < sizeof(u64) ? 64 - 8 * operand->bytes : 0;
  word <<= shift;
  *number = operand->is_signed ? (u64)((long)word >> shift) : word >> shift;
  return 1;
}

static inline int is_negative(const struct operand *operand, u64 number) {
  return operand->is_signed && (long)number < 0;
}

/* What the machine would leave; `registers`: the stack words of the code. Returns 0 where that is
 * not known. */
static inline int quick_value(const struct quick *quick, const u64 *registers, u64 *number) {
  u64 a, b;
  if (!operand_value(&quick->of[0], registers, &a)) return 0;
  *number = a;
  if (quick->operands == 1) return 1;
  if (!operand_value(&quick->of[1], registers, &b)) return 0;
  int a_below = is_negative(&quick->of[0], a), b_below = is_negative(&quick->of[1], b);
  int is_equal = a == b && a_below == b_below;
  int is_less = a_below != b_below ? a_below : a < b;
  int is_met = quick->comparison == CONDITION_EQUAL  ? is_equal
               : quick->comparison == CONDITION_LESS ? is_less
                                                     : is_less | is_equal;
  *number = (u64)(is_met != quick->is_not);
  return 1;
}

#endif
