#include "operands.h"
#include "attributes.h"
#include "classes.h"
#include "integers.h"
#include "texts.h"

#include <string.h>

/* Elements that are looked at in search of one. */
enum { MOST_SEARCHED = 10000, MOST_DIGITS = 4, MOST_NAME = 256 };
/* UTF-8 of a text that is not Latin-1 is compared by its characters. */

struct operand operand_number(__int128 number) {
  return (struct operand){.kind = NUMBER, .number = number};
}

struct operand operand_decimal(double decimal) {
  return (struct operand){.kind = DECIMAL, .decimal = decimal};
}

struct operand operand_truth(enum truth truth) {
  return truth == MAYBE ? operand_unknown() : operand_number(truth == TRUE);
}

static struct operand whole_number(object *value) {
  struct digits digits = digits_of(value);
  if (digits.count > MOST_DIGITS) return operand_unknown();
  __int128 number = 0;
  for (ssize_t i = digits.count - 1; i >= 0; i--) number = number << DIGIT_BITS | digits.at[i];
  return operand_number(digits.is_negative ? -number : number);
}

static struct operand meaning_of(object *value) {
  object *type = type_of(value);
  if (flags_of(type) & TYPE_IS_INTEGER) return whole_number(value);
  if (type == python.PyFloat_Type) return operand_decimal(GET(value, float_value, double));
  return (struct operand){.kind = OBJECT, .object = value};
}

struct operand operand_of(object *value) {
  if (!value) return operand_unknown();
  struct operand of = meaning_of(value);
  of.from = value;
  return of;
}

static u64 builtin_flags(const struct operand *of) {
  if (of->kind != OBJECT) return 0;
  u64 flags = flags_of(type_of(of->object));
  return flags & TYPE_IS_HEAP ? 0 : flags;
}

static int is_none(const struct operand *of) {
  return of->kind == OBJECT && of->object == python._Py_NoneStruct;
}

static int is_text_operand(const struct operand *of) {
  return of->kind == CONSTANT_TEXT || (of->kind == OBJECT && is_text(of->object));
}

static int is_set(const struct operand *of) {
  if (of->kind != OBJECT) return 0;
  object *type = type_of(of->object);
  return type == python.PySet_Type || type == python.PyFrozenSet_Type;
}

/* ── texts ── */

/* Goes through the characters of either kind of text. */
struct characters {
  const u8 *at, *end;
  u32 unit_bytes; /* 0: UTF-8 */
};

static struct characters characters_of(const struct operand *of) {
  if (of->kind == CONSTANT_TEXT) return (struct characters){of->text, of->text + of->length, 0};
  struct text text = text_of(of->object);
  return (struct characters){text.units, text.units + text.length * (ssize_t)text.unit_bytes,
                             text.unit_bytes};
}

static u32 next_of_utf8(struct characters *from) {
  u32 first = *from->at++, more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  u32 character = more == 0 ? first : first & (0x3f >> more);
  for (; more && from->at < from->end; more--) character = character << 6 | (*from->at++ & 0x3f);
  return character;
}

static u32 next_character(struct characters *from) {
  if (from->unit_bytes == 0) return next_of_utf8(from);
  u32 character = 0;
  memcpy(&character, from->at, from->unit_bytes);
  from->at += from->unit_bytes;
  return character;
}

static int begins_with(struct characters all, struct characters one) {
  while (one.at < one.end)
    if (all.at >= all.end || next_character(&all) != next_character(&one)) return 0;
  return 1;
}

static enum truth texts_are_equal(const struct operand *a, const struct operand *b) {
  struct characters first = characters_of(a), second = characters_of(b);
  while (first.at < first.end && second.at < second.end)
    if (next_character(&first) != next_character(&second)) return FALSE;
  return first.at >= first.end && second.at >= second.end ? TRUE : FALSE;
}

static enum truth text_contains(const struct operand *all, const struct operand *one) {
  struct characters from = characters_of(all), wanted = characters_of(one);
  for (;; next_character(&from)) {
    if (begins_with(from, wanted)) return TRUE;
    if (from.at >= from.end) return FALSE;
  }
}

static enum truth text_is_less(const struct operand *a, const struct operand *b, int or_equal) {
  struct characters first = characters_of(a), second = characters_of(b);
  while (first.at < first.end && second.at < second.end) {
    u32 one = next_character(&first), other = next_character(&second);
    if (one != other) return one < other ? TRUE : FALSE;
  }
  if (first.at >= first.end && second.at >= second.end) return or_equal ? TRUE : FALSE;
  return first.at >= first.end ? TRUE : FALSE;
}

/* ── what they say ── */

enum truth operand_is_true(const struct operand *of) {
  if (of->kind == UNKNOWN) return MAYBE;
  if (of->kind == NUMBER) return of->number ? TRUE : FALSE;
  if (of->kind == DECIMAL) return of->decimal != 0 ? TRUE : FALSE;
  if (of->kind == CONSTANT_TEXT) return of->length ? TRUE : FALSE;
  if (is_none(of)) return FALSE;
  struct operand length = operand_length(of);
  if (length.kind == NUMBER) return length.number ? TRUE : FALSE;
  /* Its class may say otherwise, by __bool__ or __len__. */
  return MAYBE;
}

static double as_decimal(const struct operand *of) {
  return of->kind == NUMBER ? (double)of->number : of->decimal;
}

static int is_number(const struct operand *of) { return of->kind == NUMBER || of->kind == DECIMAL; }

enum truth operands_are_equal(const struct operand *a, const struct operand *b) {
  if (a->kind == UNKNOWN || b->kind == UNKNOWN) return MAYBE;
  if (a->kind == NUMBER && b->kind == NUMBER) return a->number == b->number ? TRUE : FALSE;
  if (is_number(a) && is_number(b)) return as_decimal(a) == as_decimal(b) ? TRUE : FALSE;
  if (is_text_operand(a) && is_text_operand(b)) return texts_are_equal(a, b);
  if (a->kind == OBJECT && b->kind == OBJECT && a->object == b->object) return TRUE;
  if (is_none(a) || is_none(b)) return FALSE;
  /* Of two kinds that have nothing in common. */
  int plain_a = is_number(a) || is_text_operand(a), plain_b = is_number(b) || is_text_operand(b);
  if (plain_a && plain_b) return FALSE;
  if ((plain_a && builtin_flags(b)) || (plain_b && builtin_flags(a))) return FALSE;
  return MAYBE;
}

enum truth operands_are_ordered(const struct operand *a, const struct operand *b, int or_equal) {
  if (a->kind == NUMBER && b->kind == NUMBER)
    return (or_equal ? a->number <= b->number : a->number < b->number) ? TRUE : FALSE;
  if (is_number(a) && is_number(b)) {
    double first = as_decimal(a), second = as_decimal(b);
    return (or_equal ? first <= second : first < second) ? TRUE : FALSE;
  }
  if (is_text_operand(a) && is_text_operand(b)) return text_is_less(a, b, or_equal);
  return MAYBE;
}

struct operand operand_length(const struct operand *of) {
  if (of->kind == CONSTANT_TEXT) return operand_unknown();
  if (of->kind != OBJECT) return operand_unknown();
  u64 flags = flags_of(type_of(of->object));
  if (is_set(of)) return operand_number(GET(of->object, set_used, ssize_t));
  if (flags & TYPE_IS_TEXT) return operand_number(GET(of->object, text_length, ssize_t));
  if (flags & TYPE_IS_DICT) return operand_number(GET(of->object, dict_used, ssize_t));
  if (flags & (TYPE_IS_LIST | TYPE_IS_TUPLE | TYPE_IS_BYTES) ||
      type_of(of->object) == python.PyByteArray_Type)
    return operand_number(GET(of->object, ob_size, ssize_t));
  return operand_unknown();
}

/* The elements of a list or a tuple; returns how many. */
static ssize_t elements_of(object *of, object *const **items) {
  u64 flags = flags_of(type_of(of));
  *items = flags & TYPE_IS_LIST ? GET(of, list_items, object **) : &GET(of, tuple_items, object *);
  return flags & (TYPE_IS_LIST | TYPE_IS_TUPLE) ? GET(of, ob_size, ssize_t) : -1;
}

static object *value_in_dict(object *dict, const struct operand *key) {
  ssize_t at = 0;
  object *name, *value;
  for (u32 i = 0; i < MOST_SEARCHED && python.PyDict_Next(dict, &at, &name, &value); i++) {
    struct operand one = operand_of(name);
    if (operands_are_equal(&one, key) == TRUE) return value;
  }
  return 0;
}

static enum truth list_contains(object *list, const struct operand *wanted) {
  object *const *items;
  enum truth found = FALSE;
  ssize_t count = elements_of(list, &items);
  for (ssize_t i = 0; i < count; i++) {
    if (i == MOST_SEARCHED) return MAYBE;
    struct operand one = operand_of(items[i]);
    enum truth is_same = operands_are_equal(&one, wanted);
    if (is_same == TRUE) return TRUE;
    if (is_same == MAYBE) found = MAYBE;
  }
  return found;
}

static enum truth set_contains(object *set, const struct operand *wanted) {
  ssize_t mask = GET(set, set_mask, ssize_t);
  struct entry {
    object *key;
    ssize_t hash;
  } const *table = GET(set, set_table, const struct entry *);
  for (ssize_t i = 0; i <= mask; i++) {
    if (i == MOST_SEARCHED) return MAYBE;
    if (!table[i].key || table[i].hash == -1) continue;
    struct operand one = operand_of(table[i].key);
    if (operands_are_equal(&one, wanted) == TRUE) return TRUE;
  }
  return FALSE;
}

enum truth operand_contains(const struct operand *all, const struct operand *one) {
  if (is_text_operand(all) && is_text_operand(one)) return text_contains(all, one);
  if (all->kind != OBJECT || one->kind == UNKNOWN) return MAYBE;
  u64 flags = flags_of(type_of(all->object));
  if (is_set(all)) return set_contains(all->object, one);
  if (flags & TYPE_IS_DICT) return value_in_dict(all->object, one) ? TRUE : FALSE;
  if (flags & (TYPE_IS_LIST | TYPE_IS_TUPLE)) return list_contains(all->object, one);
  return MAYBE;
}

struct operand operand_element(const struct operand *of, const struct operand *at) {
  object *const *items;
  if (of->kind != OBJECT || at->kind == UNKNOWN) return operand_unknown();
  if (flags_of(type_of(of->object)) & TYPE_IS_DICT)
    return operand_of(value_in_dict(of->object, at));
  ssize_t count = elements_of(of->object, &items);
  if (count < 0 || at->kind != NUMBER) return operand_unknown();
  __int128 place = at->number < 0 ? at->number + count : at->number;
  return place < 0 || place >= count ? operand_unknown() : operand_of(items[(ssize_t)place]);
}

struct operand operand_attribute(const struct operand *of, const u8 *name, u32 length) {
  char text[MOST_NAME];
  if (of->kind != OBJECT || length >= sizeof text) return operand_unknown();
  memcpy(text, name, length);
  text[length] = 0;
  object *found = attribute_or_member(of->object, text);
  if (!found && class_of(type_of(of->object))->kind == CLASS_ENUM) {
    if (!strcmp(text, "name")) found = attribute_named(of->object, "_name_");
    if (!strcmp(text, "value")) found = attribute_named(of->object, "_value_");
  }
  return operand_of(found);
}
