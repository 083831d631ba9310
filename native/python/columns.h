/* Sequences of pandas: an index, or the values of a column. */
#ifndef STROBE_PYTHON_COLUMNS_H
#define STROBE_PYTHON_COLUMNS_H

#include "arrays.h"

struct column {
  enum { UNKNOWN_COLUMN, VALUES, MASKED_VALUES, CATEGORIES, NUMBERS_IN_A_ROW, LEVELS } kind;
  u64 length;
  struct array values; /* CATEGORIES: which of them each is */
  struct array other;  /* MASKED_VALUES: which are missing; CATEGORIES: those */
  int64_t start, step; /* NUMBERS_IN_A_ROW */
  object *levels, *codes;
  object *zone; /* moments are told in UTC; null: they have none */
};

/* `row`: of values in two dimensions. */
struct column column_of(object *any, u64 row);
/* Its first elements as a list. */
void column_put_elements(const struct sink *sink, const struct column *column);
/* Returns whether it can be read. */
int column_put_element(const struct sink *sink, const struct column *column, u64 number);
/* A member of a structure of C; null: no object lies there. */
object *object_in(const object *of, size_t offset);
/* An item of a list or a tuple, or null. */
object *sequence_item(const object *sequence, ssize_t number);

#endif
