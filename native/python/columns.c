#include "columns.h"
#include "attributes.h"
#include "classes.h"
#include "engine.h"
#include "integers.h"

#include <string.h>

/* pandas._libs.arrays.NDArrayBacked: its array, and the type of its elements. range: start, stop,
 * step, length. The first word of a class of Cython is a table of functions. */
enum { HEAD = 16, BACKED_ARRAY = HEAD + 8, BACKED_TYPE = HEAD + 16 };
enum { RANGE_START = HEAD, RANGE_STEP = HEAD + 16, RANGE_LENGTH = HEAD + 24 };
enum { MOST_LEVELS_OF_INDEX = 8 };

/* Layouts of other packages may change: a word is an object where it leads to one whose class is a
 * class. */
object *object_in(const object *of, size_t offset) {
  u64 word = AT(of, offset, u64), type, meta;
  u64 flags;
  if (word < 4096 || word % 8) return 0;
  if (engine.read(&type, word + (u64)offsets.ob_type, 8) != 8 || type % 8) return 0;
  if (engine.read(&meta, type + (u64)offsets.ob_type, 8) != 8 || meta % 8) return 0;
  if (engine.read(&flags, meta + (u64)offsets.tp_flags, 8) != 8) return 0;
  return flags & TYPE_IS_TYPE ? (object *)word : 0;
}

object *sequence_item(const object *sequence, ssize_t number) {
  u64 flags = sequence ? flags_of(type_of(sequence)) : 0;
  if (!(flags & (TYPE_IS_LIST | TYPE_IS_TUPLE)) || number >= GET(sequence, ob_size, ssize_t))
    return 0;
  return flags & TYPE_IS_LIST ? GET(sequence, list_items, object **)[number]
                              : (&GET(sequence, tuple_items, object *))[number];
}

static int is_array(object *any) { return any && class_of(type_of(any))->kind == CLASS_ARRAY; }

static struct column values_of(object *any, u64 row) {
  struct array array = array_of(any);
  if (array.dimensions == 2 && row < (u64)array.sizes[0]) array = array_row(array, row);
  if (array.dimensions != 1) return (struct column){.kind = UNKNOWN_COLUMN};
  return (struct column){VALUES, .length = (u64)array.sizes[0], .values = array};
}

static int is_named(object *any, const char *name) {
  return any && !strcmp(GET(type_of(any), tp_name, const char *), name);
}

static struct column backed_of(object *any, u64 row) {
  object *array = object_in(any, BACKED_ARRAY), *type = object_in(any, BACKED_TYPE);
  if (!is_array(array)) return (struct column){0};
  struct column column = values_of(array, row);
  /* Numbers of a calendar's periods mean nothing without it. */
  if (is_named(type, "PeriodDtype")) column.kind = UNKNOWN_COLUMN;
  object *categories = type ? attribute_named(type, "_categories") : 0;
  if (type && is_named(type, "DatetimeTZDtype")) column.zone = attribute_named(type, "_tz");
  if (!categories || column.kind != VALUES) return column;
  struct column names = column_of(categories, 0);
  if (names.kind != VALUES) return (struct column){.length = column.length};
  column.kind = CATEGORIES;
  column.other = names.values;
  return column;
}

static struct column range_of(object *range) {
  object *start = object_in(range, RANGE_START), *step = object_in(range, RANGE_STEP),
         *length = object_in(range, RANGE_LENGTH);
  if (!start || !step || !length || !is_integer(start) || !is_integer(step) || !is_integer(length))
    return (struct column){0};
  return (struct column){.kind = NUMBERS_IN_A_ROW,
                         .length = (u64)small_integer(length),
                         .start = small_integer(start),
                         .step = small_integer(step)};
}

/* Of several levels: an element is what each level has for it. */
static struct column levels_of(object *index) {
  object *levels = attribute_named(index, "_levels"), *codes = attribute_named(index, "_codes");
  object *first = sequence_item(codes, 0);
  if (!first || !sequence_item(levels, 0)) return (struct column){0};
  struct column column = column_of(first, 0);
  return (struct column){LEVELS, .length = column.length, .levels = levels, .codes = codes};
}

static struct column masked_of(object *any, u64 row) {
  object *data = attribute_named(any, "_data"), *mask = attribute_named(any, "_mask");
  if (!is_array(data) || !is_array(mask)) return (struct column){0};
  struct column column = values_of(data, row), missing = values_of(mask, row);
  if (column.kind != VALUES || missing.kind != VALUES) return (struct column){0};
  column.kind = MASKED_VALUES;
  column.other = missing.values;
  return column;
}

static struct column index_of(object *any) {
  object *range = attribute_named(any, "_range"), *data = attribute_named(any, "_data");
  if (range && is_named(range, "range")) return range_of(range);
  if (!data) return levels_of(any);
  return class_of(type_of(data))->kind == CLASS_INDEX ? (struct column){0} : column_of(data, 0);
}

struct column column_of(object *any, u64 row) {
  switch (class_of(type_of(any))->kind) {
  case CLASS_ARRAY: return values_of(any, row);
  case CLASS_INDEX: return index_of(any);
  case CLASS_BACKED: return backed_of(any, row);
  case CLASS_MASKED: return masked_of(any, row);
  default: return (struct column){0};
  }
}

static int put_levels(const struct sink *sink, const struct column *column, u64 number) {
  u8 *open = writer_open(sink->to, ITEM_TUPLE);
  if (!open) return 1;
  ssize_t count = GET(column->levels, ob_size, ssize_t);
  writer_put_number(sink->to, (u64)count);
  for (ssize_t i = 0; i < count && i < MOST_LEVELS_OF_INDEX && !sink->to->is_full; i++) {
    object *level = sequence_item(column->levels, i), *code = sequence_item(column->codes, i);
    if (!level || !code) break;
    struct column names = column_of(level, 0), codes = column_of(code, 0);
    int64_t index = codes.kind == VALUES ? array_index_at(codes.values, number) : -1;
    if (index < 0) writer_put_tag(sink->to, ITEM_NONE);
    else if (names.kind == LEVELS || !column_put_element(sink, &names, (u64)index)) break;
  }
  writer_close(sink->to, open);
  return 1;
}

int column_put_element(const struct sink *sink, const struct column *column, u64 number) {
  u8 missing = 0;
  int64_t index;
  if (number >= column->length) return 0;
  switch (column->kind) {
  case VALUES: return array_put_element(sink, column->values, number);
  case MASKED_VALUES:
    if (array_read_byte(column->other, number, &missing) && !missing)
      return array_put_element(sink, column->values, number);
    writer_put_tag(sink->to, ITEM_NONE);
    return 1;
  case CATEGORIES:
    index = array_index_at(column->values, number);
    if (index >= 0 && (u64)index < array_length(column->other))
      return array_put_element(sink, column->other, (u64)index);
    writer_put_tag(sink->to, ITEM_NONE);
    return 1;
  case NUMBERS_IN_A_ROW:
    writer_put_integer(sink->to, column->start + (int64_t)number * column->step);
    return 1;
  case LEVELS: return put_levels(sink, column, number);
  default: return 0;
  }
}

void column_put_elements(const struct sink *sink, const struct column *column) {
  u8 *open = writer_open(sink->to, ITEM_LIST);
  if (!open) return;
  writer_put_number(sink->to, column->length);
  for (u64 i = 0; i < column->length && i < sink->most && !sink->to->is_full; i++)
    if (!column_put_element(sink, column, i)) break;
  writer_close(sink->to, open);
}
