/* What an instruction that wrote to memory left there, by the registers behind it. */
#ifndef SPOTTER_STORE_H
#define SPOTTER_STORE_H

#include <stdint.h>

/* Of code before its end, by which it is told where an instruction begins. */
#define STORE_CODE 80

/* General registers in the processor's order (ax cx dx bx sp bp si di r8..r15), as they are
 * afterwards. */
struct processor {
  uint64_t general[16], flags, ip;
};

enum store_kind {
  STORE_UNKNOWN,  /* a vector, a string, or nothing that is known to write there */
  STORE_SET,      /* `value` */
  STORE_CHANGE,   /* of what was there before: `operation` with `value` */
  STORE_EXCHANGE, /* before it was `before`; what was written is no longer known */
  STORE_COMPARED, /* before it was `before`, then `value` */
};

enum store_operation {
  STORE_ADD,
  STORE_OR,
  STORE_AND,
  STORE_SUBTRACT,
  STORE_XOR,
  STORE_NEGATE,
  STORE_SHIFT_LEFT,
  /* Of these the low bytes follow from higher ones. */
  STORE_SHIFT_RIGHT,
  STORE_SHIFT_SIGNED
};

struct store {
  uint8_t kind, operation;
  uint8_t length; /* of the instruction; 0: none was recognised */
  uint8_t bytes;  /* that were written */
  uint64_t address, value, before;
};

/* The instruction at the end of `code`, before `processor->ip`, that writes at one of `bytes` bytes
 * from `address` on. */
struct store store_before(const uint8_t *code, uint32_t code_bytes,
                          const struct processor *processor, uint64_t address, uint32_t bytes);

/* What `old`, `bytes` wide, becomes. */
uint64_t store_result(const struct store *store, uint64_t old);

#endif
