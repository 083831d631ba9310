#include "values.h"
#include "arrays.h"
#include "attributes.h"
#include "classes.h"
#include "engine.h"
#include "integers.h"
#include "pandas.h"
#include "special.h"
#include "texts.h"
#include "writer.h"

#include <string.h>

/* How much of a value is kept where the depth is not asked for: what lies deeper than its own
 * elements gets DEEP_BYTES in all. */
enum { USUAL_LEVELS = 3, DEEP_BYTES = 320 };
/* Of a text; elements and attributes. Deeper: inside a container. */
enum { MOST_UNITS = 512, DEEP_UNITS = 128, MOST_ITEMS = 64, DEEP_ITEMS = 16 };
enum { MOST_DIGITS = 64 };
#define SMALL (1 << 23)

struct scope {
  struct writer to;
  u32 levels;
  const u8 *deep_end; /* null: what lies deep has as much room as the rest */
  const object *path[MOST_LEVELS];
};

static void put(struct scope *scope, object *value, u32 level);

static u32 most_items(u32 level) { return level ? DEEP_ITEMS : MOST_ITEMS; }

static int looks_into(const struct scope *scope, u32 level) { return level < scope->levels; }

static void put_text(struct writer *to, object *value, u32 level) {
  struct text text = text_of(value);
  ssize_t most = level ? DEEP_UNITS : MOST_UNITS;
  if (text.unit_bytes == 0) writer_put_tag(to, ITEM_UNSET);
  else
    writer_put_text(to, text.units, text.unit_bytes, text.length,
                    text.length < most ? text.length : most);
}

static void put_bytes(struct writer *to, const u8 *bytes, ssize_t length, u32 level) {
  ssize_t most = level ? DEEP_UNITS : MOST_UNITS, held = length < most ? length : most;
  if (!writer_has_room(to, (size_t)held + 2 * MOST_NUMBER_BYTES + 1)) return;
  writer_put_tag(to, ITEM_BYTES);
  writer_put_number(to, (u64)length);
  writer_put_number(to, (u64)held);
  writer_put_raw(to, bytes, (size_t)held);
}

static void put_integer(struct writer *to, object *value) {
  struct digits digits = digits_of(value);
  ssize_t count = digits.count;
  if (count <= 2) {
    writer_put_integer(to, small_integer(value));
    return;
  }
  ssize_t held = count < MOST_DIGITS ? count : MOST_DIGITS;
  if (!writer_has_room(to, 4 * (size_t)held + 2 * MOST_NUMBER_BYTES + 2)) return;
  writer_put_tag(to, ITEM_INTEGER);
  writer_put_tag(to, (u8)digits.is_negative);
  writer_put_number(to, (u64)count);
  writer_put_number(to, (u64)held);
  writer_put_raw(to, digits.at + count - held, 4 * (size_t)held);
}

static void put_items(struct scope *scope, object *const *items, ssize_t count, u8 tag, u32 level) {
  struct writer *to = &scope->to;
  u8 *open = writer_open(to, tag);
  if (!open) return;
  writer_put_number(to, (u64)count);
  if (looks_into(scope, level))
    for (ssize_t i = 0; i < count && i < most_items(level) && !to->is_full; i++)
      put(scope, items[i], level + 1);
  writer_close(to, open);
}

/* A key and its value, or neither. */
static void put_pair(struct scope *scope, const struct attribute *pair, u32 level) {
  struct writer *to = &scope->to;
  u8 *before = to->at;
  if (pair->name) put(scope, pair->name, level + 1);
  else writer_put_text(to, pair->slot, 1, (ssize_t)strlen(pair->slot), (ssize_t)strlen(pair->slot));
  u8 *between = to->at;
  put(scope, pair->value, level + 1);
  if (between == before || to->at == between) to->at = before;
}

static void put_dict(struct scope *scope, object *dict, u32 level) {
  struct writer *to = &scope->to;
  u8 *open = writer_open(to, ITEM_MAP);
  if (!open) return;
  ssize_t at = 0;
  struct attribute pair;
  writer_put_number(to, (u64)GET(dict, dict_used, ssize_t));
  if (looks_into(scope, level))
    for (u32 i = 0; i < most_items(level) && !to->is_full &&
                    python.PyDict_Next(dict, &at, &pair.name, &pair.value);
         i++)
      put_pair(scope, &pair, level);
  writer_close(to, open);
}

/* Of a set's table. */
struct set_entry {
  object *key;
  ssize_t hash;
};

static void put_set(struct scope *scope, object *set, u32 level) {
  struct writer *to = &scope->to;
  u8 *open = writer_open(to, ITEM_SET);
  if (!open) return;
  ssize_t used = GET(set, set_used, ssize_t), mask = GET(set, set_mask, ssize_t);
  const struct set_entry *table = GET(set, set_table, const struct set_entry *);
  u32 count = 0;
  writer_put_number(to, (u64)used);
  if (looks_into(scope, level))
    for (ssize_t i = 0; i <= mask && count < most_items(level) && !to->is_full; i++)
      /* The key of one that was taken out has the hash -1. */
      if (table[i].key && table[i].hash != -1) {
        put(scope, table[i].key, level + 1);
        count++;
      }
  writer_close(to, open);
}

static void put_attributes(struct scope *scope, object *of, u32 level) {
  struct attributes all = attributes_of(of);
  struct attribute one;
  if (!looks_into(scope, level)) return;
  for (u32 i = 0; i < most_items(level) && !scope->to.is_full && attributes_next(&all, &one); i++)
    put_pair(scope, &one, level);
}

static void put_enum(struct scope *scope, object *member, const struct class *class, u32 level) {
  static const char *const names[] = {"_name_", "_value_"};
  u8 *open = writer_open_object(&scope->to, ITEM_ENUMERATION, class->number, member);
  if (!open) return;
  for (u32 i = 0; i < 2; i++) {
    struct attribute pair = {.slot = names[i], .value = attribute_named(member, names[i])};
    if (pair.value) put_pair(scope, &pair, level);
  }
  writer_close(&scope->to, open);
}

static void put_exception(struct scope *scope, object *exception, u32 number, u32 level) {
  u8 *open = writer_open(&scope->to, ITEM_EXCEPTION);
  if (!open) return;
  writer_put_number(&scope->to, number);
  if (looks_into(scope, level)) put(scope, GET(exception, exception_args, object *), level + 1);
  writer_close(&scope->to, open);
}

/* A value that a class of C holds in its own form: as a text. */
static void put_special(struct scope *scope, object *value, const struct class *class, u32 level) {
  char text[MOST_SPECIAL_BYTES];
  size_t length = special_text(value, class->kind, text);
  u8 *open = writer_open(&scope->to, ITEM_SUBCLASS);
  if (!open) return;
  writer_put_number(&scope->to, class->number);
  writer_put_text(&scope->to, text, 1, (ssize_t)length, (ssize_t)length);
  object *zone = special_zone(value, class->kind);
  struct attribute pair = {.slot = "tzinfo", .value = zone};
  if (zone) put_pair(scope, &pair, level);
  writer_close(&scope->to, open);
}

static void put_builtin(struct scope *scope, object *value, u64 flags, u32 level);

/* An instance of a class that derives from a built-in one: what that holds, and its attributes. */
static void put_subclass(struct scope *scope, object *value, u32 number, u32 level) {
  u8 *open = writer_open(&scope->to, ITEM_SUBCLASS);
  if (!open) return;
  writer_put_number(&scope->to, number);
  u8 *before = scope->to.at;
  put_builtin(scope, value, flags_of(type_of(value)), level);
  if (scope->to.at == before) writer_put_tag(&scope->to, ITEM_CUT);
  put_attributes(scope, value, level);
  writer_close(&scope->to, open);
}

struct nested {
  struct scope *scope;
  u32 level;
};

static void put_nested(void *context, object *value) {
  struct nested *nested = context;
  put(nested->scope, value, nested->level);
}

/* Elements of a value are put by the same rules as those of a container. */
static struct sink sink_for(struct nested *nested) {
  const struct scope *scope = nested->scope;
  u32 level = nested->level - 1;
  return (struct sink){.to = &nested->scope->to,
                       .scope = nested,
                       .put = put_nested,
                       .most = looks_into(scope, level) ? most_items(level) : 0};
}

static void put_array(struct scope *scope, object *array, u32 number, u32 level) {
  static const char key[] = "shape";
  u8 *open = writer_open(&scope->to, ITEM_SUBCLASS);
  if (!open) return;
  writer_put_number(&scope->to, number);
  struct nested nested = {scope, level + 1};
  struct sink sink = sink_for(&nested);
  array_put_elements(&sink, array_of(array));
  writer_put_text(&scope->to, key, 1, sizeof key - 1, sizeof key - 1);
  array_put_type(&scope->to, array_of(array), number);
  writer_close(&scope->to, open);
}

static void put_scalar(struct scope *scope, object *scalar, u32 number, u32 level) {
  u8 *open = writer_open(&scope->to, ITEM_SUBCLASS);
  if (!open) return;
  writer_put_number(&scope->to, number);
  struct nested nested = {scope, level + 1};
  struct sink sink = sink_for(&nested);
  element_put_scalar(&sink, scalar);
  writer_close(&scope->to, open);
}

static void put_table(struct scope *scope, object *table, const struct class *class, u32 level) {
  u8 *open = writer_open(&scope->to, ITEM_SUBCLASS);
  if (!open) return;
  writer_put_number(&scope->to, class->number);
  struct nested nested = {scope, level + 1};
  struct sink sink = sink_for(&nested);
  struct table_part parts[MOST_TABLE_PARTS];
  pandas_put(&sink, table, class, parts);
  for (u32 i = 0; i < MOST_TABLE_PARTS; i++) {
    struct attribute pair = {.slot = parts[i].name, .value = parts[i].value};
    if (pair.value) put_pair(scope, &pair, level);
  }
  writer_close(&scope->to, open);
}

enum {
  OF_BUILTIN = TYPE_IS_INTEGER | TYPE_IS_LIST | TYPE_IS_TUPLE | TYPE_IS_BYTES | TYPE_IS_TEXT |
  TYPE_IS_DICT
};

static void put_builtin(struct scope *scope, object *value, u64 flags, u32 level) {
  struct writer *to = &scope->to;
  ssize_t size = GET(value, ob_size, ssize_t);
  if (flags & TYPE_IS_INTEGER) put_integer(to, value);
  else if (flags & TYPE_IS_TEXT) put_text(to, value, level);
  else if (flags & TYPE_IS_BYTES) put_bytes(to, &GET(value, bytes_value, const u8), size, level);
  else if (flags & TYPE_IS_DICT) put_dict(scope, value, level);
  else if (flags & TYPE_IS_LIST)
    put_items(scope, GET(value, list_items, object **), size, ITEM_LIST, level);
  else put_items(scope, &GET(value, tuple_items, object *), size, ITEM_TUPLE, level);
}

static void put_named(struct writer *to, u8 tag, const char *name) {
  size_t length = strlen(name);
  if (length > DEEP_UNITS) length = DEEP_UNITS;
  if (!writer_has_room(to, length + 2 * MOST_NUMBER_BYTES + 2)) return;
  writer_put_tag(to, tag);
  writer_put_text(to, name, 1, (ssize_t)length, (ssize_t)length);
}

static void put_function(struct writer *to, object *function) {
  object *name = GET(function, function_qualname, object *);
  u8 *before = to->at;
  writer_put_tag(to, ITEM_FUNCTION);
  u8 *between = to->at;
  put_text(to, name, 1);
  if (to->at == between) to->at = before;
}

/* Functions, methods and modules, by name. Returns whether it is one. */
static int put_code(struct scope *scope, object *value, object *type) {
  struct writer *to = &scope->to;
  if (type == python.PyFunction_Type) put_function(to, value);
  else if (type == python.PyMethod_Type) {
    object *function = GET(value, method_function, object *);
    if (!function || type_of(function) != python.PyFunction_Type) return 0;
    put_function(to, function);
  } else if (type == python.PyCFunction_Type) {
    /* PyMethodDef begins with its name. */
    const char *const *definition = GET(value, builtin_definition, const char *const *);
    if (!definition || !*definition) return 0;
    put_named(to, ITEM_FUNCTION, *definition);
  } else return 0;
  return 1;
}

/* Numbers, texts and constants: what holds nothing. Returns whether it is one. */
static int put_plain(struct scope *scope, object *value, object *type, u64 flags, u32 level) {
  struct writer *to = &scope->to;
  if (value == python._Py_NoneStruct) writer_put_tag(to, ITEM_NONE);
  else if (value == python._Py_TrueStruct) writer_put_tag(to, ITEM_TRUE);
  else if (value == python._Py_FalseStruct) writer_put_tag(to, ITEM_FALSE);
  else if (type == python.PyFloat_Type) writer_put_float(to, GET(value, float_value, double));
  else if (!(flags & TYPE_IS_HEAP) && flags & (TYPE_IS_INTEGER | TYPE_IS_TEXT | TYPE_IS_BYTES))
    put_builtin(scope, value, flags, level);
  else if (type == python.PyByteArray_Type)
    put_bytes(to, GET(value, bytearray_start, const u8 *), GET(value, ob_size, ssize_t), level);
  else return 0;
  return 1;
}

static void put_whole(struct scope *scope, object *value, object *type, u64 flags, u32 level) {
  struct writer *to = &scope->to;
  if (flags & TYPE_IS_TYPE) {
    put_named(to, ITEM_TYPE, GET(value, tp_name, const char *));
    return;
  }
  if (put_code(scope, value, type)) return;
  if (type == python.PySet_Type || type == python.PyFrozenSet_Type) {
    put_set(scope, value, level);
    return;
  }
  if (!(flags & TYPE_IS_HEAP) && flags & OF_BUILTIN) {
    put_builtin(scope, value, flags, level);
    return;
  }
  const struct class *class = class_of(type);
  if (class->kind == CLASS_ENUM) put_enum(scope, value, class, level);
  else if (class->kind == CLASS_ARRAY) put_array(scope, value, class->number, level);
  else if (class->kind == CLASS_SCALAR) put_scalar(scope, value, class->number, level);
  else if (class->kind >= CLASS_FRAME) put_table(scope, value, class, level);
  else if (class->kind != CLASS_PLAIN) put_special(scope, value, class, level);
  else if (flags & TYPE_IS_EXCEPTION) put_exception(scope, value, class->number, level);
  else if (flags & OF_BUILTIN) put_subclass(scope, value, class->number, level);
  else if (!(flags & TYPE_IS_HEAP)) writer_put_other(to, class->number, value);
  else {
    u8 *open = writer_open_object(to, ITEM_OBJECT, class->number, value);
    if (!open) return;
    put_attributes(scope, value, level);
    writer_close(to, open);
  }
}

static void put(struct scope *scope, object *value, u32 level) {
  struct writer *to = &scope->to;
  if (!value) {
    writer_put_tag(to, ITEM_UNSET);
    return;
  }
  object *type = type_of(value);
  u64 flags = flags_of(type);
  if (put_plain(scope, value, type, flags, level)) return;
  if (level >= MOST_LEVELS || (level > 1 && scope->deep_end && to->at > scope->deep_end)) {
    writer_put_tag(to, ITEM_CUT);
    return;
  }
  for (u32 i = 0; i < level; i++)
    if (scope->path[i] == value) {
      if (!writer_has_room(to, 2)) return;
      writer_put_tag(to, ITEM_CYCLE);
      writer_put_tag(to, (u8)(level - i));
      return;
    }
  scope->path[level] = value;
  put_whole(scope, value, type, flags, level);
}

static u64 immediate(u32 tag, int number) { return (u64)(tag << 3 | (u32)number << 8) << 32; }

/* What has a header alone. */
int capture_immediate(u64 *word, object *value) {
  if (!value) *word = immediate(IMMEDIATE_UNSET, 0);
  else if (value == python._Py_NoneStruct) *word = immediate(IMMEDIATE_NONE, 0);
  else if (value == python._Py_TrueStruct) *word = immediate(IMMEDIATE_TRUE, 0);
  else if (value == python._Py_FalseStruct) *word = immediate(IMMEDIATE_FALSE, 0);
  else {
    u64 flags = flags_of(type_of(value));
    if (!(flags & TYPE_IS_INTEGER) || flags & TYPE_IS_HEAP) return 0;
    struct digits digits = digits_of(value);
    if (digits.count > 1 || (digits.count == 1 && digits.at[0] >= SMALL)) return 0;
    int number = digits.count ? (int)digits.at[0] : 0;
    *word = immediate(IMMEDIATE_INTEGER, digits.is_negative ? -number : number);
  }
  return 1;
}

/* The bytes of a value lie in words of their own, and what is left of the last is zeros. */
enum { FEWEST_WORDS = 3 };

/* A value that is put next. */
static struct scope begin_value(struct capture *capture, u32 end_word) {
  u64 *words = capture->words + capture->used;
  u8 *begin = (u8 *)(words + 1), *end = (u8 *)(capture->words + end_word) - sizeof *words;
  return (struct scope){.to = {.at = begin, .end = end},
                        .levels = capture->levels ? capture->levels : USUAL_LEVELS,
                        .deep_end = capture->levels ? 0 : begin + DEEP_BYTES};
}

static void end_value(struct capture *capture, struct scope *scope) {
  u64 *words = capture->words + capture->used;
  u32 bytes = (u32)(scope->to.at - (u8 *)(words + 1));
  memset(scope->to.at, 0, sizeof *words);
  *words = bytes | (u64)(scope->to.is_full ? STRING_TRUNCATED : 0) << 32;
  capture->used += 1 + (bytes + 7) / 8;
}

/* Whether there is room for a value with bytes; if not it is one that is cut. */
static int has_room(struct capture *capture) {
  u32 room = MOST_VALUE_WORDS - capture->used;
  if (room >= FEWEST_WORDS) return 1;
  if (room > 0) capture->words[capture->used++] = (u64)STRING_TRUNCATED << 32;
  return 0;
}

void capture_value(struct capture *capture, object *value) {
  capture_within(capture, value, MOST_VALUE_WORDS);
}

void capture_within(struct capture *capture, object *value, u32 most_words) {
  if (capture->used < MOST_VALUE_WORDS &&
      capture_immediate(capture->words + capture->used, value)) {
    capture->used++;
    return;
  }
  if (!has_room(capture)) return;
  if (most_words < FEWEST_WORDS) most_words = FEWEST_WORDS;
  u32 end = capture->used + most_words;
  struct scope scope = begin_value(capture, end < MOST_VALUE_WORDS ? end : MOST_VALUE_WORDS);
  put(&scope, value, 0);
  end_value(capture, &scope);
}

void capture_exception(struct capture *capture, object *type, object *value) {
  if (!has_room(capture)) return;
  struct scope scope = begin_value(capture, MOST_VALUE_WORDS);
  u8 *open = writer_open(&scope.to, ITEM_EXCEPTION);
  if (open) {
    writer_put_number(&scope.to, class_of(type)->number);
    if (value) put(&scope, value, 1);
    writer_close(&scope.to, open);
  }
  end_value(capture, &scope);
}

void capture_number(struct capture *capture, int64_t number) {
  if (number > -SMALL && number < SMALL) {
    capture_word(capture, immediate(IMMEDIATE_INTEGER, (int)number));
    return;
  }
  if (!has_room(capture)) return;
  struct scope scope = begin_value(capture, MOST_VALUE_WORDS);
  writer_put_integer(&scope.to, number);
  end_value(capture, &scope);
}

void capture_decimal(struct capture *capture, double decimal) {
  if (!has_room(capture)) return;
  struct scope scope = begin_value(capture, MOST_VALUE_WORDS);
  writer_put_float(&scope.to, decimal);
  end_value(capture, &scope);
}

void capture_word(struct capture *capture, u64 word) {
  if (capture->used < MOST_VALUE_WORDS) capture->words[capture->used++] = word;
}
