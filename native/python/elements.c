#include "elements.h"
#include "dates.h"
#include "engine.h"
#include "integers.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PyArray_Descr: its class, kind, letter, byte order, flags, number; then bytes of an element and
 * alignment, from numpy 2 on behind more flags. Behind them what its elements are made of. A scalar
 * has its number behind its head. */
enum {
  HEAD = 16,
  BYTES_1 = HEAD + 16,
  ALIGNMENT_1 = HEAD + 20,
  SUBARRAY_1 = HEAD + 24,
  UNIT_1 = HEAD + 64,
  BYTES_2 = HEAD + 24,
  SUBARRAY_2 = HEAD + 72,
  UNIT_2 = HEAD + 96,
};
/* From the array that an element is (its type, its shape) to the dictionary of fields, and names.
 */
enum { TO_FIELDS = 8, TO_NAMES = 16 };
/* In front of the unit of a time lies what numpy calls NpyAuxData. */
enum { UNIT_HEAD = 32 };
/* Of a scalar: the unit of its time; where a record lies, and its type, behind a size. */
enum { SCALAR_UNIT = HEAD + 8, RECORD_PLACE = HEAD + 8, RECORD_TYPE = HEAD + 16 };
enum { MOST_TEXT_BYTES = 256, MOST_FIELDS = 16, LONG_DOUBLE_BYTES = 16 };

/* By the letter of their type. */
static const struct {
  const char *scalar, *other; /* classes of one */
  char letter;
  u8 bytes;
} numbers[] = {
    {"numpy.float64", 0, 'd', 8},
    {"numpy.float32", 0, 'f', 4},
    {"numpy.float16", 0, 'e', 2},
    {"numpy.longdouble", "numpy.float128", 'g', LONG_DOUBLE_BYTES},
    {"numpy.int64", "numpy.longlong", 'l', 8},
    {0, 0, 'q', 8},
    {"numpy.int32", "numpy.intc", 'i', 4},
    {"numpy.int16", 0, 'h', 2},
    {"numpy.int8", 0, 'b', 1},
    {"numpy.uint64", "numpy.ulonglong", 'L', 8},
    {0, 0, 'Q', 8},
    {"numpy.uint32", "numpy.uintc", 'I', 4},
    {"numpy.uint16", 0, 'H', 2},
    {"numpy.uint8", 0, 'B', 1},
    {"numpy.bool_", "numpy.bool", '?', 1},
    {"numpy.complex128", "complex", 'D', 8},
    {"numpy.complex64", 0, 'F', 4},
    {"numpy.clongdouble", "numpy.complex256", 'G', LONG_DOUBLE_BYTES},
    {"numpy.datetime64", 0, 'M', 8},
    {"numpy.timedelta64", 0, 'm', 8},
    {"numpy.void", 0, 'V', 0},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static u32 row_of(char letter) {
  u32 row = 0;
  while (row < NUMBERS && numbers[row].letter != letter) row++;
  return row;
}

union number {
  u8 bytes[LONG_DOUBLE_BYTES];
  long double f16;
  double f8;
  float f4;
  u64 u8;
  int64_t i8;
  int32_t i4;
  u32 u4;
  int16_t i2;
  u16 u2;
  int8_t i1;
  u8 u1;
};

/* Reads one that lies in this machine's byte order, or the other way round. */
static int read_number(union number *number, u64 at, u32 bytes, int is_swapped) {
  memset(number, 0, sizeof *number);
  if (engine.read(number->bytes, at, bytes) != bytes) return 0;
  for (u32 i = 0; is_swapped && i < bytes / 2; i++) {
    u8 byte = number->bytes[i];
    number->bytes[i] = number->bytes[bytes - 1 - i];
    number->bytes[bytes - 1 - i] = byte;
  }
  return 1;
}

static double half(u32 bits) {
  int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction ? __builtin_nan("") : sign * __builtin_inf();
  if (exponent == 0) return sign * fraction / (1 << 24);
  return sign * (1024 + fraction) * (double)(1u << exponent) / (1ul << 25);
}

static double decimal_of(const union number *number, u32 bytes) {
  return bytes == 8 ? number->f8 : bytes == 4 ? (double)number->f4 : (double)number->f16;
}

static void put_unsigned(struct writer *to, u64 number) {
  enum { COUNT = 3 };
  u32 digits[COUNT];
  if (number <= INT64_MAX) {
    writer_put_integer(to, (int64_t)number);
    return;
  }
  for (u32 i = 0; i < COUNT; i++)
    digits[i] = (u32)(number >> DIGIT_BITS * i & ((1u << DIGIT_BITS) - 1));
  if (!writer_has_room(to, sizeof digits + 4)) return;
  writer_put_tag(to, ITEM_INTEGER);
  writer_put_tag(to, 0);
  writer_put_number(to, COUNT);
  writer_put_number(to, COUNT);
  writer_put_raw(to, digits, sizeof digits);
}

/* The shortest digits that mean the same number, as Python writes a part of a complex number. */
static void say_decimal(char *text, size_t room, double number) {
  char digits[32];
  int count = 1;
  if (isnan(number) || isinf(number)) {
    snprintf(text, room, "%s", isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
    return;
  }
  do snprintf(digits, sizeof digits, "%.*e", count - 1, number);
  while (strtod(digits, 0) != number && ++count <= 17);
  int exponent = atoi(strchr(digits, 'e') + 1);
  if (exponent < -4 || exponent >= 16) snprintf(text, room, "%s", digits);
  else snprintf(text, room, "%.*f", count - 1 > exponent ? count - 1 - exponent : 0, number);
  /* The program may have chosen another decimal point. */
  for (char *at = text; *at; at++)
    if (!strchr("+-.0123456789e", *at)) *at = '.';
}

void element_put_complex(struct writer *to, double real, double imaginary) {
  char parts[2][40], text[96];
  say_decimal(parts[0], sizeof parts[0], real);
  say_decimal(parts[1], sizeof parts[1], imaginary);
  const char *sign = parts[1][0] == '-' ? "" : "+";
  int length = real == 0 && !signbit(real)
                   ? snprintf(text, sizeof text, "%sj", parts[1])
                   : snprintf(text, sizeof text, "(%s%s%sj)", parts[0], sign, parts[1]);
  writer_put_text(to, text, 1, length, length);
}

static void put_moment(struct writer *to, char letter, int64_t number, struct date_unit unit) {
  char text[MOST_DATE_BYTES];
  size_t length = letter == 'M' ? date_text(number, unit, text) : duration_text(number, unit, text);
  writer_put_text(to, text, 1, (ssize_t)length, (ssize_t)length);
}

static int put_complex(struct writer *to, u64 at, u32 bytes, int is_swapped) {
  union number real, imaginary;
  if (!read_number(&real, at, bytes, is_swapped)) return 0;
  if (!read_number(&imaginary, at + bytes, bytes, is_swapped)) return 0;
  element_put_complex(to, decimal_of(&real, bytes), decimal_of(&imaginary, bytes));
  return 1;
}

/* `unit`: of a time, else null. Returns whether it is a number that can be read. */
static int put_number(struct writer *to, char letter, u64 at, int is_swapped,
                      const struct date_unit *unit) {
  union number number;
  u32 row = row_of(letter);
  if (row == NUMBERS) return 0;
  u32 bytes = numbers[row].bytes;
  if (strchr("DFG", letter)) return put_complex(to, at, bytes, is_swapped);
  if (!bytes || !read_number(&number, at, bytes, is_swapped)) return 0;
  switch (letter) {
  case 'M':
  case 'm':
    if (!unit) return 0;
    put_moment(to, letter, number.i8, *unit);
    break;
  case 'd':
  case 'f':
  case 'g': writer_put_float(to, decimal_of(&number, bytes)); break;
  case 'e': writer_put_float(to, half(number.u2)); break;
  case 'i': writer_put_integer(to, number.i4); break;
  case 'h': writer_put_integer(to, number.i2); break;
  case 'b': writer_put_integer(to, number.i1); break;
  case 'L':
  case 'Q': put_unsigned(to, number.u8); break;
  case 'I': writer_put_integer(to, number.u4); break;
  case 'H': writer_put_integer(to, number.u2); break;
  case 'B': writer_put_integer(to, number.u1); break;
  case '?': writer_put_tag(to, number.u1 ? ITEM_TRUE : ITEM_FALSE); break;
  default: writer_put_integer(to, number.i8);
  }
  return 1;
}

/* numpy 1 has an alignment where numpy 2 has the high half of its flags, which is zero. */
static int is_of_numpy_1(const object *type) { return AT(type, ALIGNMENT_1, int) != 0; }

static u64 bytes_of(const object *type) {
  return is_of_numpy_1(type) ? (u64)AT(type, BYTES_1, int) : AT(type, BYTES_2, u64);
}

/* Of a fixed length, filled up with zeros: of UTF-32 units, or bytes. */
static int put_text(struct writer *to, const object *type, char letter, u64 at, int is_swapped) {
  u32 units[MOST_TEXT_BYTES / 4] = {0};
  u32 unit_bytes = letter == 'U' ? 4 : 1;
  u64 bytes = bytes_of(type), held = bytes < sizeof units ? bytes : sizeof units;
  if (engine.read(units, at, (u32)held) != held) return 0;
  for (u64 i = 0; is_swapped && letter == 'U' && i < held / 4; i++)
    units[i] = __builtin_bswap32(units[i]);
  u64 count = held / unit_bytes;
  const u8 *last = (const u8 *)units;
  while (count > 0 && (letter == 'U' ? units[count - 1] : last[count - 1]) == 0) count--;
  u64 length = held < bytes && count == held / unit_bytes ? bytes / unit_bytes : count;
  if (letter == 'U') writer_put_text(to, units, 4, (ssize_t)length, (ssize_t)count);
  else if (writer_has_room(to, count + 2 * MOST_NUMBER_BYTES + 1)) {
    writer_put_tag(to, ITEM_BYTES);
    writer_put_number(to, length);
    writer_put_number(to, count);
    writer_put_raw(to, units, count);
  }
  return 1;
}

/* A tuple's item, or null. */
static const object *item_of(const object *tuple, ssize_t number) {
  if (!tuple || !(flags_of(type_of(tuple)) & TYPE_IS_TUPLE)) return 0;
  if (number >= GET(tuple, ob_size, ssize_t)) return 0;
  return (&GET(tuple, tuple_items, const object *))[number];
}

/* A field by its name: its type, and where it lies in the record. */
static const object *field_of(object *fields, const object *name, u64 *offset) {
  ssize_t at = 0;
  object *key, *value;
  while (python.PyDict_Next(fields, &at, &key, &value)) {
    if (key != name) continue;
    object *place = (object *)item_of(value, 1);
    if (!place || !is_integer(place)) return 0;
    *offset = (u64)small_integer(place);
    return item_of(value, 0);
  }
  return 0;
}

/* As a map of names. */
static int put_record(const struct sink *sink, object *fields, const object *names, u64 at) {
  struct writer *to = sink->to;
  u8 *open = writer_open(to, ITEM_MAP);
  if (!open) return 1;
  writer_put_number(to, (u64)GET(names, ob_size, ssize_t));
  for (ssize_t i = 0; i < MOST_FIELDS && !to->is_full; i++) {
    u64 offset = 0;
    const object *name = item_of(names, i);
    const object *type = name ? field_of(fields, name, &offset) : 0;
    if (!type || !is_text((object *)name)) break;
    struct text text = text_of((object *)name);
    u8 *before = to->at;
    writer_put_text(to, text.units, text.unit_bytes, text.length, text.length);
    u8 *between = to->at;
    if (between == before || !element_put(sink, type, at + offset) || to->at == between) {
      to->at = before;
      break;
    }
  }
  writer_close(to, open);
  return 1;
}

/* An element that is an array itself: as the list of what it is made of. */
static int put_inner(const struct sink *sink, const object *type, u64 bytes, u64 at) {
  u64 each = bytes_of(type);
  if (!each) return 0;
  u8 *open = writer_open(sink->to, ITEM_LIST);
  if (!open) return 1;
  writer_put_number(sink->to, bytes / each);
  for (u64 i = 0; i < bytes / each && i < sink->most && !sink->to->is_full; i++)
    if (!element_put(sink, type, at + i * each)) break;
  writer_close(sink->to, open);
  return 1;
}

static int put_void(const struct sink *sink, const object *type, u64 at) {
  u64 from = is_of_numpy_1(type) ? SUBARRAY_1 : SUBARRAY_2, bytes = bytes_of(type);
  /* PyArray_ArrayDescr begins with the type of its elements. */
  const object *const *inner = AT(type, from, const object *const *);
  object *fields = AT(type, from + TO_FIELDS, object *);
  const object *names = AT(type, from + TO_NAMES, const object *);
  if (inner) return put_inner(sink, *inner, bytes, at);
  if (!fields || !names || fields == python._Py_NoneStruct || !item_of(names, 0))
    return put_text(sink->to, type, 'S', at, 0);
  if (!(flags_of(type_of(fields)) & TYPE_IS_DICT)) return 0;
  return put_record(sink, fields, names, at);
}

int element_put(const struct sink *sink, const object *type, u64 at) {
  /* Behind the kind; the byte order is that of another machine where it is `>`. */
  const char *letters = &AT(type, ELEMENT_KIND, const char);
  int is_swapped = letters[2] == '>';
  u64 value = 0;
  switch (letters[1]) {
  case 'O':
    if (engine.read(&value, at, sizeof value) != sizeof value) return 0;
    sink->put(sink->scope, (object *)value);
    return 1;
  case 'U':
  case 'S': return put_text(sink->to, type, letters[1], at, is_swapped);
  case 'V': return put_void(sink, type, at);
  case 'M':
  case 'm': {
    const u8 *unit = AT(type, is_of_numpy_1(type) ? UNIT_1 : UNIT_2, const u8 *);
    if (!unit) return 0;
    return put_number(sink->to, letters[1], at, is_swapped,
                      (const struct date_unit *)(unit + UNIT_HEAD));
  }
  default: return put_number(sink->to, letters[1], at, is_swapped, 0);
  }
}

static char letter_of(const char *class_name) {
  for (u32 i = 0; i < NUMBERS; i++)
    if ((numbers[i].scalar && !strcmp(numbers[i].scalar, class_name)) ||
        (numbers[i].other && !strcmp(numbers[i].other, class_name)))
      return numbers[i].letter;
  return 0;
}

int element_is_scalar(const char *class_name) { return letter_of(class_name) != 0; }

void element_put_scalar(const struct sink *sink, object *scalar) {
  char letter = 0;
  for (object *one = type_of(scalar); one && !letter; one = GET(one, tp_base, object *))
    letter = letter_of(GET(one, tp_name, const char *));
  if (letter == 'V') {
    const object *type = AT(scalar, RECORD_TYPE, const object *);
    if (type) put_void(sink, type, AT(scalar, RECORD_PLACE, u64));
  } else if (letter)
    put_number(sink->to, letter, (u64)scalar + HEAD, 0,
               &AT(scalar, SCALAR_UNIT, const struct date_unit));
}
