/* See quick.h. */
#include "quick.h"

#define WORD_BYTES 8

static u32 operation(u64 word) { return word & 0xff; }

static void set_form(struct operand *operand, u64 word) {
  operand->bytes = word >> 16 & 0xff;
  operand->is_signed = word >> 24 & 1;
}

/* Returns how many words it has; 0: it is none. */
static u32 read_operand(struct operand *operand, const u64 *code, u32 words) {
  if (!words) return 0;
  set_form(operand, code[0]);
  operand->index = code[0] >> 8 & 0xff;
  operand->offset = (int)(code[0] >> 32);
  if (operation(code[0]) == CONDITION_CONSTANT && words > 1) {
    operand->kind = OPERAND_CONSTANT;
    operand->bytes = WORD_BYTES;
    operand->constant = code[1];
    return 2;
  }
  if (operation(code[0]) != CONDITION_STACK) return 0;
  operand->kind = OPERAND_REGISTER;
  if (words < 2 || operation(code[1]) != CONDITION_LOAD) return 1;
  if (!(code[1] & LOAD_DIRECT) || operand->bytes != WORD_BYTES) return 0;
  operand->kind = OPERAND_MEMORY;
  operand->offset += (int)(code[1] >> 32);
  set_form(operand, code[1]);
  return operand->bytes && operand->bytes <= WORD_BYTES ? 2 : 0;
}

struct quick quick_of(const u64 *code, u32 words) {
  static const struct quick none;
  struct quick quick = {.operands = 1};
  u32 at = read_operand(&quick.of[0], code, words);
  if (!at) return none;
  if (at == words) return quick;
  u32 second = read_operand(&quick.of[1], code + at, words - at);
  at += second;
  if (!second || at == words) return none;
  quick.operands = 2;
  quick.comparison = (u8)operation(code[at++]);
  int is_comparison = quick.comparison == CONDITION_EQUAL || quick.comparison == CONDITION_LESS ||
                      quick.comparison == CONDITION_LESS_OR_EQUAL;
  if (at < words && operation(code[at]) == CONDITION_NOT) quick.is_not = 1, at++;
  return is_comparison && at == words ? quick : none;
}
