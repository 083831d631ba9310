#include "pandas.h"
#include "attributes.h"
#include "columns.h"
#include "engine.h"
#include "integers.h"

#include <string.h>

/* Structures of Cython, behind a table of functions. pandas._libs.internals.BlockManager: blocks,
 * axes · Block: which columns it has, references, dimensions, values · BlockPlacement: a slice, or
 * an array · slice of Python: start, stop, step. */
enum { HEAD = 16 };
enum {
  MANAGER_BLOCKS = HEAD + 8,
  MANAGER_AXES = HEAD + 16,
  BLOCK_PLACES = HEAD + 8,
  BLOCK_VALUES = HEAD + 32,
  PLACES_SLICE = HEAD + 8,
  PLACES_ARRAY = HEAD + 16,
  SLICE_START = HEAD,
  SLICE_STEP = HEAD + 16,
};
/* Of a table that is shown: as many as its beginning usually has. */
enum { MOST_COLUMNS = 16, MOST_ROWS = 5 };

/* Whether it derives from a class of Cython. */
static int derives_from(object *any, const char *name) {
  for (object *type = type_of(any); type; type = GET(type, tp_base, object *))
    if (!is_of_python(type) && !strcmp(GET(type, tp_name, const char *), name)) return 1;
  return 0;
}

struct parts {
  object *blocks, *axes;
};

static struct parts parts_of(object *table) {
  object *manager = attribute_named(table, "_mgr");
  if (!manager) return (struct parts){0};
  if (derives_from(manager, "pandas._libs.internals.BlockManager"))
    return (struct parts){object_in(manager, MANAGER_BLOCKS), object_in(manager, MANAGER_AXES)};
  return (struct parts){attribute_named(manager, "blocks"), attribute_named(manager, "axes")};
}

/* The axis of that number; a table has its columns first. */
static struct column axis_of(const struct parts *parts, ssize_t number) {
  object *axis = sequence_item(parts->axes, number);
  return axis ? column_of(axis, 0) : (struct column){0};
}

static object *values_of(object *block) {
  return derives_from(block, "pandas._libs.internals.Block") ? object_in(block, BLOCK_VALUES) : 0;
}

/* The row of a block's values in which a column lies; -1: in none. */
static int64_t row_of(object *block, u64 column) {
  object *places = object_in(block, BLOCK_PLACES);
  object *slice = places ? object_in(places, PLACES_SLICE) : 0;
  object *array = places ? object_in(places, PLACES_ARRAY) : 0;
  if (slice && !strcmp(GET(type_of(slice), tp_name, const char *), "slice")) {
    object *start = object_in(slice, SLICE_START), *step = object_in(slice, SLICE_STEP),
           *stop = object_in(slice, SLICE_START + 8);
    if (!start || !stop || !is_integer(start) || !is_integer(stop)) return -1;
    int64_t by = step && is_integer(step) ? small_integer(step) : 1;
    int64_t apart = (int64_t)column - small_integer(start);
    int64_t reach = small_integer(stop) - small_integer(start);
    if (by <= 0 || apart < 0 || apart >= reach || apart % by) return -1;
    return apart / by;
  }
  if (!array || class_of(type_of(array))->kind != CLASS_ARRAY) return -1;
  struct array numbers = array_of(array);
  for (u64 i = 0; i < array_length(numbers); i++)
    if (array_index_at(numbers, i) == (int64_t)column) return (int64_t)i;
  return -1;
}

static struct column column_at(object *blocks, u64 number) {
  object *block;
  for (ssize_t i = 0; (block = sequence_item(blocks, i)); i++) {
    object *values = values_of(block);
    int64_t row = values ? row_of(block, number) : -1;
    if (row >= 0) return column_of(values, (u64)row);
  }
  return (struct column){0};
}

static void put_columns(const struct sink *sink, const struct parts *parts,
                        const struct column *names, u64 rows) {
  struct writer *to = sink->to;
  u8 *open = writer_open(to, ITEM_MAP);
  if (!open) return;
  writer_put_number(to, names->length);
  struct sink inside = *sink;
  if (inside.most > MOST_ROWS) inside.most = MOST_ROWS;
  for (u64 i = 0; i < names->length && i < sink->most && i < MOST_COLUMNS && !to->is_full; i++) {
    u8 *before = to->at;
    if (!column_put_element(&inside, names, i)) break;
    u8 *between = to->at;
    struct column column = column_at(parts->blocks, i);
    if (column.kind == UNKNOWN_COLUMN) column.length = rows;
    column_put_elements(&inside, &column);
    if (between == before || to->at == between) to->at = before;
  }
  writer_close(to, open);
}

static void put_shape(struct writer *to, u64 rows, u64 columns) {
  static const char key[] = "shape";
  if (!writer_has_room(to, sizeof key + 8 * MOST_NUMBER_BYTES)) return;
  writer_put_text(to, key, 1, sizeof key - 1, sizeof key - 1);
  u8 *open = writer_open(to, ITEM_TUPLE);
  if (!open) return;
  writer_put_number(to, 2);
  writer_put_integer(to, (int64_t)rows);
  writer_put_integer(to, (int64_t)columns);
  writer_close(to, open);
}

static void put_frame(const struct sink *sink, object *frame, struct table_part *parts) {
  struct parts of = parts_of(frame);
  if (!of.blocks || !of.axes) {
    writer_put_tag(sink->to, ITEM_CUT);
    return;
  }
  struct column names = axis_of(&of, 0), index = axis_of(&of, 1);
  put_columns(sink, &of, &names, index.length);
  put_shape(sink->to, index.length, names.length);
  parts[0] = (struct table_part){"index", sequence_item(of.axes, 1)};
}

static void put_series(const struct sink *sink, object *series, struct table_part *parts) {
  struct parts of = parts_of(series);
  object *block = sequence_item(of.blocks, 0), *values = block ? values_of(block) : 0;
  struct column column = values ? column_of(values, 0) : (struct column){0};
  if (column.kind == UNKNOWN_COLUMN) column.length = axis_of(&of, 0).length;
  column_put_elements(sink, &column);
  parts[0] = (struct table_part){"index", sequence_item(of.axes, 0)};
  parts[1] = (struct table_part){"name", attribute_named(series, "_name")};
  parts[2] = (struct table_part){"tz", column.zone};
}

static void put_sequence(const struct sink *sink, object *any, struct table_part *parts) {
  struct column column = column_of(any, 0);
  if (column.kind == UNKNOWN_COLUMN && !column.length) writer_put_tag(sink->to, ITEM_CUT);
  else column_put_elements(sink, &column);
  parts[0] = (struct table_part){"name", attribute_named(any, "_name")};
  parts[1] = (struct table_part){"tz", column.zone};
}

/* The index that a table has where none was given. */
static int is_usual(object *index) {
  struct column column = column_of(index, 0);
  return column.kind == NUMBERS_IN_A_ROW && column.start == 0 && column.step == 1;
}

void pandas_put(const struct sink *sink, object *value, const struct class *class,
                struct table_part parts[MOST_TABLE_PARTS]) {
  memset(parts, 0, MOST_TABLE_PARTS * sizeof *parts);
  if (class->kind == CLASS_FRAME) put_frame(sink, value, parts);
  else if (class->kind == CLASS_SERIES) put_series(sink, value, parts);
  else put_sequence(sink, value, parts);
  for (u32 i = 0; i < MOST_TABLE_PARTS; i++)
    if (parts[i].value == python._Py_NoneStruct) parts[i].value = 0;
  if ((class->kind == CLASS_FRAME || class->kind == CLASS_SERIES) && parts[0].value &&
      is_usual(parts[0].value))
    parts[0].value = 0;
}
