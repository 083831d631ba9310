#include "condition.h"
#include "notes.h"
#include "table.h"
#include "variables.h"

#include <string.h>

enum { MOST_WALKED = 10000 };

/* Code, or a piece of it. */
struct part {
  const u8 *bytes;
  u32 length;
};

/* Of a walk: an element, and the one that follows it. */
struct walked {
  struct operand it, next;
};

struct machine {
  const u8 *at, *end;
  struct operand stack[STACK_MOST];
  u32 depth;
  const struct moment *moment;
  const struct walked *walked; /* null: it is in no walk */
  const object *holder;
};

static u64 read_number(struct machine *machine, size_t bytes) {
  u64 number = 0;
  if ((size_t)(machine->end - machine->at) < bytes) machine->at = machine->end;
  else {
    memcpy(&number, machine->at, bytes);
    machine->at += bytes;
  }
  return number;
}

static const u8 *read_text(struct machine *machine, u32 *length) {
  *length = (u32)read_number(machine, sizeof *length);
  if ((size_t)(machine->end - machine->at) < *length) *length = 0;
  const u8 *text = machine->at;
  machine->at += *length;
  return text;
}

static void push(struct machine *machine, struct operand operand) {
  if (machine->depth < STACK_MOST) machine->stack[machine->depth++] = operand;
}

static struct operand pop(struct machine *machine) {
  return machine->depth ? machine->stack[--machine->depth] : operand_unknown();
}

/* What it is a part of holds it. */
static struct operand part_of(struct machine *machine, const struct operand *whole,
                              struct operand part) {
  if (whole->kind == OBJECT) machine->holder = whole->object;
  return part;
}

/* Returns whether it is one. */
static int push_named(struct machine *machine, u8 operation) {
  const struct moment *moment = machine->moment;
  u32 length;
  const u8 *name;
  u64 index;
  switch (operation) {
  case OPERATION_ARGUMENT:
    index = read_number(machine, 1);
    push(machine, index < moment->count ? operand_of(moment->arguments[index]) : operand_unknown());
    return 1;
  case OPERATION_RESULT: push(machine, operand_of(moment->result)); return 1;
  case OPERATION_VARIABLE:
    name = read_text(machine, &length);
    push(machine, operand_of(variable_named(moment->frame, name, length, &machine->holder)));
    return 1;
  case OPERATION_LOCAL:
    name = read_text(machine, &length);
    push(machine, operand_of(local_named(moment->frame, name, length, &machine->holder)));
    return 1;
  case OPERATION_NAMED:
    name = read_text(machine, &length);
    push(machine, operand_of(any_named(moment->frame, name, length, &machine->holder)));
    return 1;
  case OPERATION_ITEM:
  case OPERATION_FOLLOWING:
    if (!machine->walked) push(machine, operand_unknown());
    else push(machine, operation == OPERATION_ITEM ? machine->walked->it : machine->walked->next);
    return 1;
  default: return 0;
  }
}

static int push_constant(struct machine *machine, u8 operation) {
  struct operand text = {.kind = CONSTANT_TEXT};
  double decimal;
  u64 bits;
  switch (operation) {
  case OPERATION_INTEGER: push(machine, operand_number((int64_t)read_number(machine, 8))); break;
  case OPERATION_DECIMAL:
    bits = read_number(machine, 8);
    memcpy(&decimal, &bits, sizeof decimal);
    push(machine, operand_decimal(decimal));
    break;
  case OPERATION_TEXT:
    text.text = read_text(machine, &text.length);
    push(machine, text);
    break;
  case OPERATION_NONE: push(machine, operand_of(python._Py_NoneStruct)); break;
  case OPERATION_TRUE: push(machine, operand_number(1)); break;
  case OPERATION_FALSE: push(machine, operand_number(0)); break;
  default: return 0;
  }
  return 1;
}

static enum truth is_none(const struct operand *of) {
  if (of->kind == UNKNOWN) return MAYBE;
  return of->kind == OBJECT && of->object == python._Py_NoneStruct ? TRUE : FALSE;
}

static enum truth opposite(enum truth of) {
  return of == MAYBE ? MAYBE : of == TRUE ? FALSE : TRUE;
}

static struct operand negated(const struct operand *of) {
  if (of->kind == NUMBER) return operand_number(-of->number);
  return of->kind == DECIMAL ? operand_decimal(-of->decimal) : operand_unknown();
}

static int apply_to_one(struct machine *machine, u8 operation) {
  struct operand of;
  u32 length;
  const u8 *name;
  switch (operation) {
  case OPERATION_ATTRIBUTE:
    name = read_text(machine, &length);
    of = pop(machine);
    push(machine, part_of(machine, &of, operand_attribute(&of, name, length)));
    return 1;
  case OPERATION_LENGTH:
    of = pop(machine);
    push(machine, operand_length(&of));
    return 1;
  case OPERATION_IS_NONE:
    of = pop(machine);
    push(machine, operand_truth(is_none(&of)));
    return 1;
  case OPERATION_NOT:
    of = pop(machine);
    push(machine, operand_truth(opposite(operand_is_true(&of))));
    return 1;
  case OPERATION_NEGATIVE:
    of = pop(machine);
    push(machine, negated(&of));
    return 1;
  case OPERATION_INVERT:
    of = pop(machine);
    push(machine, of.kind == NUMBER ? operand_number(~of.number) : operand_unknown());
    return 1;
  default: return 0;
  }
}

static double decimal_of(const struct operand *of) {
  return of->kind == NUMBER ? (double)of->number : of->decimal;
}

/* As Python does: the remainder has the sign of the divisor. */
static struct operand remainder_of(__int128 a, __int128 b) {
  __int128 rest = a % b;
  return operand_number(rest && (rest < 0) != (b < 0) ? rest + b : rest);
}

static struct operand of_decimals(u8 operation, double a, double b) {
  switch (operation) {
  case OPERATION_ADD: return operand_decimal(a + b);
  case OPERATION_SUBTRACT: return operand_decimal(a - b);
  case OPERATION_MULTIPLY: return operand_decimal(a * b);
  case OPERATION_DIVIDE: return b != 0 ? operand_decimal(a / b) : operand_unknown();
  default: return operand_unknown();
  }
}

static struct operand of_numbers(u8 operation, __int128 a, __int128 b) {
  __int128 result = 0;
  int is_out = 0;
  switch (operation) {
  case OPERATION_ADD: is_out = __builtin_add_overflow(a, b, &result); break;
  case OPERATION_SUBTRACT: is_out = __builtin_sub_overflow(a, b, &result); break;
  case OPERATION_MULTIPLY: is_out = __builtin_mul_overflow(a, b, &result); break;
  case OPERATION_DIVIDE: return b ? operand_decimal((double)a / (double)b) : operand_unknown();
  case OPERATION_REMAINDER: return b ? remainder_of(a, b) : operand_unknown();
  case OPERATION_SHIFT_LEFT:
    is_out = b < 0 || b > 62 || __builtin_mul_overflow(a, (__int128)1 << b, &result);
    break;
  case OPERATION_SHIFT_RIGHT:
    is_out = b < 0;
    result = a >> (b > 126 ? 126 : b);
    break;
  case OPERATION_BIT_AND: result = a & b; break;
  case OPERATION_BIT_OR: result = a | b; break;
  case OPERATION_BIT_XOR: result = a ^ b; break;
  default: is_out = 1;
  }
  return is_out ? operand_unknown() : operand_number(result);
}

static struct operand calculated(u8 operation, const struct operand *a, const struct operand *b) {
  if (a->kind == NUMBER && b->kind == NUMBER) return of_numbers(operation, a->number, b->number);
  if ((a->kind == NUMBER || a->kind == DECIMAL) && (b->kind == NUMBER || b->kind == DECIMAL))
    return of_decimals(operation, decimal_of(a), decimal_of(b));
  return operand_unknown();
}

static enum truth both(enum truth a, enum truth b) {
  if (a == FALSE || b == FALSE) return FALSE;
  return a == TRUE && b == TRUE ? TRUE : MAYBE;
}

static void apply_to_two(struct machine *machine, u8 operation) {
  struct operand b = pop(machine), a = pop(machine);
  enum truth of_a = operand_is_true(&a), of_b = operand_is_true(&b), truth;
  switch (operation) {
  case OPERATION_BOTH: truth = both(of_a, of_b); break;
  case OPERATION_EITHER: truth = opposite(both(opposite(of_a), opposite(of_b))); break;
  case OPERATION_EQUAL: truth = operands_are_equal(&a, &b); break;
  case OPERATION_LESS: truth = operands_are_ordered(&a, &b, 0); break;
  case OPERATION_LESS_OR_EQUAL: truth = operands_are_ordered(&a, &b, 1); break;
  case OPERATION_CONTAINS: truth = operand_contains(&a, &b); break;
  case OPERATION_ELEMENT: push(machine, part_of(machine, &a, operand_element(&a, &b))); return;
  default: push(machine, calculated(operation, &a, &b)); return;
  }
  push(machine, operand_truth(truth));
}

static struct operand run(const struct part *code, const struct moment *moment,
                          const struct walked *walked, const object **holder);

static int is_last(const struct operand *next) { return is_none(next) == TRUE; }

static int is_same(const struct operand *a, const struct operand *b) {
  return a->kind == OBJECT && b->kind == OBJECT && a->object == b->object;
}

/* Whether each element meets the test, up to None or the first again; or the first that does not.
 */
static struct operand walk(const struct machine *machine, const struct operand *first,
                           const struct part *step, const struct part *test, int means_element,
                           int asks_next) {
  struct operand all = means_element ? operand_unknown() : operand_truth(TRUE);
  struct walked at = {*first, operand_unknown()};
  for (u32 i = 0; i < MOST_WALKED && at.it.kind != UNKNOWN; i++) {
    if (is_last(&at.it)) return all;
    at.next = operand_unknown();
    at.next = run(step, machine->moment, &at, 0);
    if (asks_next && is_last(&at.next)) return all;
    struct operand met = run(test, machine->moment, &at, 0);
    enum truth truth = operand_is_true(&met);
    if (truth == MAYBE) return operand_unknown();
    if (truth == FALSE) return means_element ? at.it : operand_truth(FALSE);
    if (is_same(&at.next, first)) return all;
    at.it = at.next;
  }
  return operand_unknown();
}

static struct part read_part(struct machine *machine) {
  struct part part;
  part.bytes = read_text(machine, &part.length);
  return part;
}

static int push_walk(struct machine *machine, u8 operation) {
  if (operation != OPERATION_FORALL) return 0;
  int means_element = (int)read_number(machine, 1), asks_next = (int)read_number(machine, 1);
  struct part step = read_part(machine), test = read_part(machine);
  struct operand first = pop(machine);
  /* One walk in another could take as long as the product of both. */
  push(machine, machine->walked ? operand_unknown()
                                : walk(machine, &first, &step, &test, means_element, asks_next));
  return 1;
}

static struct operand run(const struct part *code, const struct moment *moment,
                          const struct walked *walked, const object **holder) {
  struct machine machine;
  machine.at = code->bytes;
  machine.end = code->bytes + code->length;
  machine.depth = 0;
  machine.moment = moment;
  machine.walked = walked;
  machine.holder = 0;
  while (machine.at < machine.end) {
    u8 operation = *machine.at++;
    if (!push_named(&machine, operation) && !push_constant(&machine, operation) &&
        !push_walk(&machine, operation) && !apply_to_one(&machine, operation))
      apply_to_two(&machine, operation);
  }
  if (holder) *holder = machine.holder;
  return pop(&machine);
}

struct operand condition_value(const struct code_text *code, const struct moment *moment,
                               const object **holder) {
  const struct part all = {code->bytes, (u32)code->length};
  return run(&all, moment, 0, holder);
}

int condition_counts(enum truth truth, const char *of, u32 *has_said) {
  if (truth == MAYBE && !*has_said) {
    *has_said = 1;
    notes_write(NOTE_UNDECIDED, of);
  }
  return truth != FALSE;
}

int condition_is_met(const struct code_text *code, const struct moment *moment, const char *of,
                     u32 *has_said) {
  struct operand result = condition_value(code, moment, 0);
  return condition_counts(operand_is_true(&result), of, has_said);
}
