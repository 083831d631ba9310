#include "arrays.h"
#include "engine.h"

#include <string.h>

/* PyArrayObject: data, dimensions, sizes, strides, base, type · PyArray_Descr: its class, kind,
 * letter, byte order, flags, number; then bytes of an element and alignment, from numpy 2 on behind
 * more flags. A scalar has its number behind its head. */
enum {
  HEAD = 16,
  ARRAY_DATA = HEAD,
  ARRAY_DIMENSIONS = HEAD + 8,
  ARRAY_SIZES = HEAD + 16,
  ARRAY_STRIDES = HEAD + 24,
  ARRAY_TYPE = HEAD + 40,
  ELEMENT_KIND = HEAD + 8,
  ELEMENT_BYTES_1 = HEAD + 16,
  ELEMENT_ALIGNMENT_1 = HEAD + 20,
  ELEMENT_BYTES_2 = HEAD + 24,
};
enum { MOST_DIMENSIONS = 8, MOST_TEXT_BYTES = 256, DIGIT_BITS = 30 };

/* Of numbers, by the letter of their type. */
static const struct {
  const char *scalar, *other; /* classes of one */
  char letter;
  u8 bytes;
} numbers[] = {
    {"numpy.float64", 0, 'd', 8},
    {"numpy.float32", 0, 'f', 4},
    {"numpy.float16", 0, 'e', 2},
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
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static double half(u32 bits) {
  int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction ? __builtin_nan("") : sign * __builtin_inf();
  if (exponent == 0) return sign * fraction / (1 << 24);
  return sign * (1024 + fraction) * (double)(1u << exponent) / (1ul << 25);
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

/* Returns whether it is a number that can be read. */
static int put_number(struct writer *to, char letter, u64 at) {
  union {
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
  } number = {0};
  u32 which = 0;
  while (which < NUMBERS && numbers[which].letter != letter) which++;
  if (which == NUMBERS) return 0;
  if (engine.read(&number, at, numbers[which].bytes) != numbers[which].bytes) return 0;
  switch (letter) {
  case 'd': writer_put_float(to, number.f8); break;
  case 'f': writer_put_float(to, (double)number.f4); break;
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

static u64 bytes_of_element(const object *type) {
  if (AT(type, ELEMENT_ALIGNMENT_1, int)) return (u64)AT(type, ELEMENT_BYTES_1, int);
  return AT(type, ELEMENT_BYTES_2, u64);
}

/* Of a fixed length, filled up with zeros: of UTF-32 units, or bytes. */
static int put_text(struct writer *to, const object *type, char letter, u64 at) {
  u32 units[MOST_TEXT_BYTES / 4] = {0};
  u32 unit_bytes = letter == 'U' ? 4 : 1;
  u64 bytes = bytes_of_element(type), held = bytes < sizeof units ? bytes : sizeof units;
  if (engine.read(units, at, (u32)held) != held) return 0;
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

void arrays_put_type(struct writer *to, const object *array, u32 class) {
  int dimensions = AT(array, ARRAY_DIMENSIONS, int);
  const ssize_t *sizes = AT(array, ARRAY_SIZES, const ssize_t *);
  const object *type = AT(array, ARRAY_TYPE, const object *);
  int shown = dimensions < MOST_DIMENSIONS ? dimensions : MOST_DIMENSIONS;
  if (!writer_has_room(to, 5 + (size_t)(shown + 1) * MOST_NUMBER_BYTES)) return;
  writer_put_tag(to, ITEM_ARRAY);
  writer_put_number(to, class);
  writer_put_raw(to, &AT(type, ELEMENT_KIND, const u8), 3);
  writer_put_tag(to, (u8)dimensions);
  for (int i = 0; i < shown; i++) writer_put_number(to, (u64)sizes[i]);
}

/* Where the element of that number lies, the last dimension counting fastest. */
static u64 place_of(const object *array, u64 number) {
  u64 place = AT(array, ARRAY_DATA, u64);
  const ssize_t *sizes = AT(array, ARRAY_SIZES, const ssize_t *),
                *strides = AT(array, ARRAY_STRIDES, const ssize_t *);
  for (int i = AT(array, ARRAY_DIMENSIONS, int) - 1; i >= 0; i--) {
    place += number % (u64)sizes[i] * (u64)strides[i];
    number /= (u64)sizes[i];
  }
  return place;
}

void arrays_put_elements(struct writer *to, const object *array, u32 most,
                         void (*put)(void *scope, object *value), void *scope) {
  const object *type = AT(array, ARRAY_TYPE, const object *);
  const ssize_t *sizes = AT(array, ARRAY_SIZES, const ssize_t *);
  u64 total = 1;
  for (int i = 0; i < AT(array, ARRAY_DIMENSIONS, int); i++) total *= (u64)sizes[i];
  u8 *open = writer_open(to, ITEM_LIST);
  if (!open) return;
  writer_put_number(to, total);
  /* Behind the kind; the byte order is that of another machine where it is `>`. */
  const char *letters = &AT(type, ELEMENT_KIND, const char);
  for (u64 i = 0; i < total && i < most && letters[2] != '>' && !to->is_full; i++) {
    u64 at = place_of(array, i), value = 0;
    if (letters[1] == 'O') {
      if (engine.read(&value, at, sizeof value) != sizeof value) break;
      put(scope, (object *)value);
    } else if (letters[1] == 'U' || letters[1] == 'S') {
      if (!put_text(to, type, letters[1], at)) break;
    } else if (!put_number(to, letters[1], at)) break;
  }
  writer_close(to, open);
}

static char letter_of(const char *class_name) {
  for (u32 i = 0; i < NUMBERS; i++)
    if ((numbers[i].scalar && !strcmp(numbers[i].scalar, class_name)) ||
        (numbers[i].other && !strcmp(numbers[i].other, class_name)))
      return numbers[i].letter;
  return 0;
}

int arrays_is_scalar(const char *class_name) { return letter_of(class_name) != 0; }

void arrays_put_scalar(struct writer *to, object *scalar) {
  char letter = 0;
  for (object *one = type_of(scalar); one && !letter; one = GET(one, tp_base, object *))
    letter = letter_of(GET(one, tp_name, const char *));
  if (letter) put_number(to, letter, (u64)scalar + HEAD);
}
