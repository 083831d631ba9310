#include "attributes.h"
#include "texts.h"

#include <string.h>

/* Values that lie in the object, or beside it, in the order of the keys of its class. */
struct inline_values {
  object **values;
  const u8 *keys; /* PyDictKeysObject */
};

/* Of PyDictKeysObject: log2_index_bytes, dk_nentries, and where the indices begin. */
enum { KEYS_LOG2_BYTES = 9, KEYS_USED = 24, KEYS_HEAD = 32 };
/* Of what lies before an object. */
enum { BEFORE_DICT = -24, BEFORE_VALUES = -32 };

/* A dictionary, or values that lie in the object: each version has another way. */
static object *dict_of(object *of, struct inline_values *inline_values) {
  object *type = type_of(of);
  u64 flags = flags_of(type);
  *inline_values = (struct inline_values){0};
  if (python.minor < 11 || !(flags & TYPE_MANAGED_DICT)) {
    if (!GET(type, tp_dictoffset, ssize_t)) return 0;
    object **place = python._PyObject_GetDictPtr(of);
    return place ? *place : 0;
  }
  u64 word = AT(of, BEFORE_DICT, u64);
  object **values = 0;
  if (python.minor == 11) {
    values = AT(of, BEFORE_VALUES, object **);
    if (!values) return (object *)word;
  } else if (python.minor == 12) {
    if (!(word & 1)) return (object *)word;
    values = (object **)(word + 1);
  } else {
    if (word || !(flags & TYPE_INLINE_VALUES)) return (object *)word;
    /* PyDictValues: capacity, size, embedded, valid · values */
    u8 *begin = (u8 *)of + (python.minor == 13 ? 16 : GET(type, tp_basicsize, ssize_t));
    if (!begin[3]) return 0;
    values = (object **)(begin + 8);
  }
  inline_values->values = values;
  inline_values->keys = (flags & TYPE_IS_HEAP) ? GET(type, ht_cached_keys, const u8 *) : 0;
  return 0;
}

static int next_of_dict(struct attributes *all, struct attribute *found) {
  struct inline_values lying;
  object *dict = dict_of(all->of, &lying);
  if (dict) {
    if (!(flags_of(type_of(dict)) & TYPE_IS_DICT)) return 0;
    while (python.PyDict_Next(dict, &all->at, &found->name, &found->value))
      if (is_text(found->name)) return 1;
    return 0;
  }
  if (!lying.values || !lying.keys) return 0;
  ssize_t used = AT(lying.keys, KEYS_USED, ssize_t);
  object *const *entries =
      (object *const *)(lying.keys + KEYS_HEAD + (1ul << lying.keys[KEYS_LOG2_BYTES]));
  while (all->at < used) {
    ssize_t at = all->at++;
    found->name = entries[2 * at];
    found->value = lying.values[at];
    if (found->name && found->value) return 1;
  }
  return 0;
}

/* PyMemberDef */
struct member {
  const char *name;
  int type;
  ssize_t offset;
  int flags;
  const char *doc;
};
enum { MEMBER_OBJECT = 6, MEMBER_OBJECT_EX = 16, FIRST_MEMBER = 16 };

static int next_of_slots(struct attributes *all, struct attribute *found) {
  for (; all->class && (flags_of(all->class) & TYPE_IS_HEAP);
       all->class = GET(all->class, tp_base, object *), all->at = 0) {
    const struct member *members = GET(all->class, tp_members, const struct member *);
    while (members && members[all->at].name) {
      const struct member *one = &members[all->at++];
      if ((one->type != MEMBER_OBJECT && one->type != MEMBER_OBJECT_EX) ||
          one->offset < FIRST_MEMBER || !strcmp(one->name, "__weakref__"))
        continue;
      found->name = 0;
      found->slot = one->name;
      found->value = AT(all->of, one->offset, object *);
      if (found->value) return 1;
    }
  }
  return 0;
}

/* Classes, functions and modules say nothing of an object: they are constants of its class, or
 * code. */
static int is_code(object *value) {
  object *type = type_of(value);
  return (flags_of(type) & TYPE_IS_TYPE) || type == python.PyFunction_Type ||
         type == python.PyMethod_Type || type == python.PyCFunction_Type ||
         type == python.PyModule_Type;
}

static int next_of_any(struct attributes *all, struct attribute *found) {
  if (all->stage == 0) {
    if (next_of_dict(all, found)) return 1;
    all->stage = 1;
    all->class = type_of(all->of);
    all->at = 0;
  }
  return next_of_slots(all, found);
}

int attributes_next(struct attributes *all, struct attribute *found) {
  while (next_of_any(all, found))
    if (!is_code(found->value)) return 1;
  return 0;
}

object *value_in(object *dict, const char *name) {
  ssize_t at = 0;
  object *key, *value;
  while (python.PyDict_Next(dict, &at, &key, &value))
    if (is_text(key) && text_is(key, name)) return value;
  return 0;
}

int is_a_module(object *value) {
  for (object *type = type_of(value); type; type = GET(type, tp_base, object *))
    if (type == python.PyModule_Type) return 1;
  return 0;
}

object *attribute_named(object *of, const char *name) {
  struct attributes all = attributes_of(of);
  struct attribute one;
  while (attributes_next(&all, &one))
    if (one.name ? text_is(one.name, name) : !strcmp(one.slot, name)) return one.value;
  return 0;
}

/* Of a class or those that it is made from, the first of each. */
static object *member_of_class(object *type, const char *name) {
  for (; type && flags_of(type) & TYPE_IS_HEAP; type = GET(type, tp_base, object *)) {
    object *dict = GET(type, tp_dict, object *);
    object *found = dict ? value_in(dict, name) : 0;
    if (found) return found;
  }
  return 0;
}

/* What is a property, a method or another descriptor would have to be run. */
static int is_data(object *value) {
  object *type = type_of(value);
  if (is_code(value) || flags_of(type) & TYPE_IS_HEAP) return 0;
  return value == python._Py_NoneStruct || type == python.PyFloat_Type ||
         type == python.PySet_Type || type == python.PyFrozenSet_Type ||
         flags_of(type) & (TYPE_IS_INTEGER | TYPE_IS_LIST | TYPE_IS_TUPLE | TYPE_IS_BYTES |
                           TYPE_IS_TEXT | TYPE_IS_DICT);
}

object *attribute_or_member(object *of, const char *name) {
  object *type = type_of(of), *found;
  if (flags_of(type) & TYPE_IS_TYPE) return member_of_class(of, name);
  if (is_a_module(of)) return value_in(python.PyModule_GetDict(of), name);
  found = attribute_named(of, name);
  if (found) return found;
  found = member_of_class(type, name);
  return found && is_data(found) ? found : 0;
}
