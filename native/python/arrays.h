/* Arrays of numpy: where their elements lie. Their memory is read with care, as another thread may
 * change it. */
#ifndef STROBE_PYTHON_ARRAYS_H
#define STROBE_PYTHON_ARRAYS_H

#include "elements.h"

/* An array, or a part of one. */
struct array {
  const object *type;
  u64 place;
  int dimensions;
  const ssize_t *sizes, *strides;
};

struct array array_of(const object *of);
/* What lies at a number of its first dimension, which it must have. */
struct array array_row(struct array array, u64 row);
/* How many elements it has. */
u64 array_length(struct array array);
/* Kind, type and byte order of its elements, and its shape. */
void array_put_type(struct writer *to, struct array array, u32 class);
/* Its first elements as a list, the last dimension counting fastest. */
void array_put_elements(const struct sink *sink, struct array array);
/* One of a single dimension. Returns whether it can be read. */
int array_put_element(const struct sink *sink, struct array array, u64 number);
/* A byte in one of a single dimension. Returns whether it can be read. */
int array_read_byte(struct array array, u64 number, u8 *byte);
/* A whole number in one of a single dimension; -1: it cannot be read. */
int64_t array_index_at(struct array array, u64 number);

#endif
