/* Recognises the store in front of an address. Where it begins is not known: each beginning is
 * tried, and one that would write to the place is the one. Where several would (what is a prefix of
 * one may end the instruction before), the code in front of it tells which (boundary.c). */
#include "store.h"
#include "boundary.h"
#include <string.h>

#define VECTOR_BYTES 32
#define SET_ZERO 0x40 /* EFLAGS.ZF */

struct reader {
  const uint8_t *code;
  uint32_t at, end;
  int failed;
};

struct form {
  uint8_t rex, wide_operand, opcode, modrm, is_second, is_vector, segment;
  uint64_t address;
};

static uint64_t take(struct reader *reader, uint32_t bytes) {
  uint64_t value = 0;
  if (reader->at + bytes > reader->end) {
    reader->failed = 1;
    return 0;
  }
  memcpy(&value, reader->code + reader->at, bytes);
  reader->at += bytes;
  return value;
}

static uint64_t extended(uint64_t value, uint32_t bytes) {
  uint32_t shift = 64 - 8 * bytes;
  return (uint64_t)((int64_t)(value << shift) >> shift);
}

static uint64_t cut(uint64_t value, uint32_t bytes) {
  return bytes >= 8 ? value : value & ((1ull << (8 * bytes)) - 1);
}

/* The place that ModRM, SIB and displacement name; fails for a register. */
static void read_place(struct reader *reader, struct form *form,
                       const struct processor *processor) {
  form->modrm = (uint8_t)take(reader, 1);
  uint32_t mode = form->modrm >> 6, base = form->modrm & 7;
  uint64_t address = 0;
  int is_relative = mode == 0 && base == 5;
  if (mode == 3) reader->failed = 1;
  if (base == 4) {
    uint8_t sib = (uint8_t)take(reader, 1);
    uint32_t index = (sib >> 3 & 7) | (form->rex & 2 ? 8 : 0);
    base = sib & 7;
    if (index != 4) address += processor->general[index] << (sib >> 6);
    if (mode == 0 && base == 5) {
      address += extended(take(reader, 4), 4);
      form->address = address;
      return;
    }
  }
  if (is_relative) address = processor->ip;
  else address += processor->general[base | (form->rex & 1 ? 8 : 0)];
  if (mode == 1) address += extended(take(reader, 1), 1);
  else if (mode == 2 || is_relative) address += extended(take(reader, 4), 4);
  form->address = address;
}

static uint64_t in_register(const struct form *form, const struct processor *processor,
                            uint32_t bytes) {
  uint32_t number = (form->modrm >> 3 & 7) | (form->rex & 4 ? 8 : 0);
  if (bytes == 1 && !form->rex && number >= 4 && number < 8)
    return processor->general[number - 4] >> 8 & 0xff;
  return cut(processor->general[number], bytes);
}

static int holds(uint32_t code, uint64_t flags) {
  int carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1, sign = flags >> 7 & 1;
  int overflow = flags >> 11 & 1;
  const int all[8] = {overflow,
                      carry,
                      zero,
                      carry || zero,
                      sign,
                      parity,
                      sign != overflow,
                      zero || sign != overflow};
  return all[code >> 1] ^ (code & 1);
}

static void second_map(struct reader *reader, struct form *form, const struct processor *p,
                       struct store *store) {
  uint32_t code = form->opcode, wide = store->bytes;
  read_place(reader, form, p);
  if (code >= 0x90 && code <= 0x9f) {
    *store = (struct store){
        .kind = STORE_SET, .bytes = 1, .value = (uint64_t)holds(code & 15, p->flags)};
    return;
  }
  switch (code) {
  case 0xc0:
  case 0xc1: /* xadd: the register has what was there */
    store->kind = STORE_EXCHANGE;
    store->bytes = (uint8_t)(code & 1 ? wide : 1);
    store->before = in_register(form, p, store->bytes);
    return;
  case 0xb0:
  case 0xb1:
    store->kind = STORE_COMPARED;
    store->bytes = (uint8_t)(code & 1 ? wide : 1);
    store->before = cut(p->general[0], store->bytes);
    store->value = p->flags & SET_ZERO ? in_register(form, p, store->bytes) : store->before;
    return;
  case 0xc3: /* movnti */
    store->kind = STORE_SET;
    store->value = in_register(form, p, wide);
    return;
  case 0x11:
  case 0x13:
  case 0x17:
  case 0x29:
  case 0x2b:
  case 0x7e:
  case 0x7f:
  case 0xd6:
  case 0xe7: store->bytes = VECTOR_BYTES; return;
  case 0xab:
  case 0xb3:
  case 0xbb:
  case 0xa5:
  case 0xad:
  case 0xc7: return;
  case 0xa4:
  case 0xac:
  case 0xba: take(reader, 1); return;
  default: reader->failed = 1;
  }
}

static void change(struct store *store, uint32_t operation, uint64_t value) {
  store->kind = STORE_CHANGE;
  store->operation = (uint8_t)operation;
  store->value = value;
}

/* The eight operations of the first opcode rows; those with carry are not known. */
static void arithmetic(struct reader *reader, struct store *store, uint32_t which, uint64_t value) {
  static const int8_t operations[8] = {STORE_ADD, STORE_OR,       -1,        -1,
                                       STORE_AND, STORE_SUBTRACT, STORE_XOR, -1};
  if (which == 7) reader->failed = 1;
  else if (operations[which] >= 0) change(store, (uint32_t)operations[which], value);
}

static void shift(struct store *store, uint32_t which, uint64_t by) {
  by &= store->bytes == 8 ? 63 : 31;
  if (which == 4 || which == 6) change(store, STORE_SHIFT_LEFT, by);
  else if (which == 5) change(store, STORE_SHIFT_RIGHT, by);
  else if (which == 7) change(store, STORE_SHIFT_SIGNED, by);
}

static void group(struct reader *reader, struct form *form, const struct processor *p,
                  struct store *store) {
  uint32_t code = form->opcode, which = form->modrm >> 3 & 7,
           immediate = store->bytes == 8 ? 4 : store->bytes;
  switch (code) {
  case 0x80:
  case 0x81: arithmetic(reader, store, which, extended(take(reader, immediate), immediate)); return;
  case 0x83: arithmetic(reader, store, which, extended(take(reader, 1), 1)); return;
  case 0x86:
  case 0x87:
    store->kind = STORE_EXCHANGE;
    store->before = in_register(form, p, store->bytes);
    return;
  case 0x88:
  case 0x89:
    store->kind = STORE_SET;
    store->value = in_register(form, p, store->bytes);
    return;
  case 0xc6:
  case 0xc7:
    if (which != 0) reader->failed = 1;
    store->kind = STORE_SET;
    store->value = extended(take(reader, immediate), immediate);
    return;
  case 0xc0:
  case 0xc1: shift(store, which, take(reader, 1)); return;
  case 0xd0:
  case 0xd1: shift(store, which, 1); return;
  case 0xd2:
  case 0xd3: shift(store, which, p->general[1]); return;
  case 0xf6:
  case 0xf7:
    if (which == 2) change(store, STORE_XOR, ~0ull);
    else if (which == 3) change(store, STORE_NEGATE, 0);
    else reader->failed = 1;
    return;
  case 0xfe:
  case 0xff:
    if (which > 1) reader->failed = 1;
    change(store, which == 0 ? STORE_ADD : STORE_SUBTRACT, 1);
    return;
  case 0x8f:
  case 0xd9:
  case 0xdb:
  case 0xdd:
  case 0xdf: return;
  default: reader->failed = 1;
  }
}

static void first_map(struct reader *reader, struct form *form, const struct processor *p,
                      struct store *store) {
  uint32_t code = form->opcode;
  int is_x87 = code >= 0xd8 && code <= 0xdf;
  if (!(code & 1) && !is_x87) store->bytes = 1;
  if (is_x87) store->bytes = 10;
  if (code == 0xaa || code == 0xab) { /* stos, forwards */
    store->kind = STORE_SET;
    store->value = p->general[0];
    form->address = p->general[7] - store->bytes;
    return;
  }
  if (code < 0x40) {
    if ((code & 7) > 1) reader->failed = 1;
    read_place(reader, form, p);
    arithmetic(reader, store, code >> 3, in_register(form, p, store->bytes));
    return;
  }
  read_place(reader, form, p);
  group(reader, form, p, store);
}

static void read_vex(struct reader *reader, struct form *form, uint32_t first) {
  uint32_t bits = (uint32_t)take(reader, 1);
  form->rex = (uint8_t)(bits & 0x80 ? 0x40 : 0x44);
  form->is_second = 1;
  form->is_vector = 1;
  if (first != 0xc4) return;
  if (!(bits & 0x40)) form->rex |= 2;
  if (!(bits & 0x20)) form->rex |= 1;
  if ((bits & 31) != 1) reader->failed = 1;
  take(reader, 1);
}

/* Prefixes and opcode. */
static void read_opcode(struct reader *reader, struct form *form) {
  for (;;) {
    uint32_t byte = (uint32_t)take(reader, 1);
    if (reader->failed) return;
    if (byte == 0x66) form->wide_operand = 1;
    else if (byte == 0x64 || byte == 0x65) form->segment = 1;
    else if (byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x36 ||
             byte == 0x3e || byte == 0x26)
      continue;
    else if ((byte & 0xf0) == 0x40) {
      form->rex = (uint8_t)byte;
      form->opcode = (uint8_t)take(reader, 1);
      break;
    } else if (byte == 0xc4 || byte == 0xc5) {
      read_vex(reader, form, byte);
      form->opcode = (uint8_t)take(reader, 1);
      return;
    } else {
      form->opcode = (uint8_t)byte;
      break;
    }
  }
  if (form->opcode != 0x0f) return;
  form->is_second = 1;
  form->opcode = (uint8_t)take(reader, 1);
}

static int decode(const uint8_t *code, uint32_t length, const struct processor *p,
                  struct store *store) {
  struct reader reader = {code, 0, length, 0};
  struct form form;
  memset(&form, 0, sizeof form);
  memset(store, 0, sizeof *store);
  read_opcode(&reader, &form);
  if (reader.failed || form.segment) return 0;
  store->bytes = form.rex & 8 ? 8 : form.wide_operand ? 2 : 4;
  if (form.is_second) second_map(&reader, &form, p, store);
  else first_map(&reader, &form, p, store);
  if (reader.failed || reader.at != length || (form.is_vector && store->bytes != VECTOR_BYTES))
    return 0;
  store->address = form.address;
  store->length = (uint8_t)length;
  store->value = cut(store->value, store->bytes);
  return 1;
}

struct store store_before(const uint8_t *code, uint32_t code_bytes,
                          const struct processor *processor, uint64_t address, uint32_t bytes) {
  struct store found[LONGEST_INSTRUCTION + 1], none;
  uint32_t count = 0, only = 0;
  memset(&none, 0, sizeof none);
  for (uint32_t length = code_bytes < LONGEST_INSTRUCTION ? code_bytes : LONGEST_INSTRUCTION;
       length >= 2; length--) {
    struct store *store = &found[length];
    int is_one = decode(code + code_bytes - length, length, processor, store) &&
                 store->address < address + bytes && store->address + store->bytes > address;
    if (!is_one) *store = none;
    count += is_one;
    if (is_one) only = length;
  }
  if (count > 1) only = instruction_before(code, code_bytes, processor->ip);
  return only >= 2 ? found[only] : none;
}

uint64_t store_result(const struct store *store, uint64_t old) {
  uint64_t by = store->value;
  switch (store->operation) {
  case STORE_ADD: old += by; break;
  case STORE_OR: old |= by; break;
  case STORE_AND: old &= by; break;
  case STORE_SUBTRACT: old -= by; break;
  case STORE_XOR: old ^= by; break;
  case STORE_NEGATE: old = 0 - old; break;
  case STORE_SHIFT_LEFT: old <<= by; break;
  case STORE_SHIFT_RIGHT: old = cut(old, store->bytes) >> by; break;
  default: old = (uint64_t)((int64_t)extended(old, store->bytes) >> by);
  }
  return cut(old, store->bytes);
}
