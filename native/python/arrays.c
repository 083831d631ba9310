#include "arrays.h"
#include "engine.h"

/* PyArrayObject: data, dimensions, sizes, strides, base, type. */
enum { HEAD = 16 };
enum {
  ARRAY_DATA = HEAD,
  ARRAY_DIMENSIONS = HEAD + 8,
  ARRAY_SIZES = HEAD + 16,
  ARRAY_STRIDES = HEAD + 24,
  ARRAY_TYPE = HEAD + 40,
};
enum { MOST_DIMENSIONS = 8 };

struct array array_of(const object *of) {
  return (struct array){
      .type = AT(of, ARRAY_TYPE, const object *),
      .place = AT(of, ARRAY_DATA, u64),
      .dimensions = AT(of, ARRAY_DIMENSIONS, int),
      .sizes = AT(of, ARRAY_SIZES, const ssize_t *),
      .strides = AT(of, ARRAY_STRIDES, const ssize_t *),
  };
}

struct array array_row(struct array array, u64 row) {
  array.place += row * (u64)array.strides[0];
  array.dimensions--;
  array.sizes++;
  array.strides++;
  return array;
}

u64 array_length(struct array array) {
  u64 total = 1;
  for (int i = 0; i < array.dimensions; i++) total *= (u64)array.sizes[i];
  return total;
}

void array_put_type(struct writer *to, struct array array, u32 class) {
  int shown = array.dimensions < MOST_DIMENSIONS ? array.dimensions : MOST_DIMENSIONS;
  if (!writer_has_room(to, 5 + (size_t)(shown + 1) * MOST_NUMBER_BYTES)) return;
  writer_put_tag(to, ITEM_ARRAY);
  writer_put_number(to, class);
  writer_put_raw(to, &AT(array.type, ELEMENT_KIND, const u8), 3);
  writer_put_tag(to, (u8)array.dimensions);
  for (int i = 0; i < shown; i++) writer_put_number(to, (u64)array.sizes[i]);
}

/* Where the element of that number lies, the last dimension counting fastest. */
static u64 place_of(struct array array, u64 number) {
  for (int i = array.dimensions - 1; i >= 0; i--) {
    array.place += number % (u64)array.sizes[i] * (u64)array.strides[i];
    number /= (u64)array.sizes[i];
  }
  return array.place;
}

int array_put_element(const struct sink *sink, struct array array, u64 number) {
  return element_put(sink, array.type, place_of(array, number));
}

void array_put_elements(const struct sink *sink, struct array array) {
  u64 total = array_length(array);
  u8 *open = writer_open(sink->to, ITEM_LIST);
  if (!open) return;
  writer_put_number(sink->to, total);
  for (u64 i = 0; i < total && i < sink->most && !sink->to->is_full; i++)
    if (!array_put_element(sink, array, i)) break;
  writer_close(sink->to, open);
}

int array_read_byte(struct array array, u64 number, u8 *byte) {
  return array.dimensions == 1 && number < (u64)array.sizes[0] &&
         engine.read(byte, place_of(array, number), 1) == 1;
}

int64_t array_index_at(struct array array, u64 number) {
  char letter = (&AT(array.type, ELEMENT_KIND, const char))[1];
  int64_t index = 0;
  u32 bytes = letter == 'b' ? 1 : letter == 'h' ? 2 : letter == 'i' ? 4 : 8;
  if (array.dimensions != 1 || number >= (u64)array.sizes[0]) return -1;
  if (engine.read(&index, place_of(array, number), bytes) != bytes) return -1;
  switch (bytes) {
  case 1: return (int8_t)index;
  case 2: return (int16_t)index;
  case 4: return (int32_t)index;
  default: return index;
  }
}
