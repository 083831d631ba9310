/* The operands of conditions: values of the program, and numbers and texts of the condition. */
#ifndef STROBE_PYTHON_OPERANDS_H
#define STROBE_PYTHON_OPERANDS_H

#include "api.h"

enum operand_kind { UNKNOWN, NUMBER, DECIMAL, CONSTANT_TEXT, OBJECT };

struct operand {
  enum operand_kind kind;
  u32 length;   /* of a text of the condition, in bytes */
  object *from; /* the program's own value, or null */
  union {
    __int128 number;
    double decimal;
    const u8 *text;
    object *object; /* no number */
  };
};

enum truth { FALSE, TRUE, MAYBE };

struct operand operand_of(object *value);
struct operand operand_number(__int128 number);
struct operand operand_decimal(double decimal);
struct operand operand_truth(enum truth truth);
static inline struct operand operand_unknown(void) { return (struct operand){.kind = UNKNOWN}; }

enum truth operand_is_true(const struct operand *of);
enum truth operands_are_equal(const struct operand *a, const struct operand *b);
/* Whether a is less than b, or with `or_equal` not more. */
enum truth operands_are_ordered(const struct operand *a, const struct operand *b, int or_equal);
enum truth operand_contains(const struct operand *all, const struct operand *one);
struct operand operand_length(const struct operand *of);
struct operand operand_element(const struct operand *of, const struct operand *at);
struct operand operand_attribute(const struct operand *of, const u8 *name, u32 length);

#endif
