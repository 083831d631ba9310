#include "classes.h"
#include "attributes.h"
#include "elements.h"
#include "fields.h"
#include "texts.h"

#include <string.h>

/* A class is looked for at a few places behind its own. */
enum { CLASSES = 8192, PLACES = 8 };

static struct class classes[CLASSES];

static const char *name_of(object *type) { return GET(type, tp_name, const char *); }

static int is_heap(object *type) { return (flags_of(type) & TYPE_IS_HEAP) != 0; }

static object *base_of(object *type) { return GET(type, tp_base, object *); }

/* One of C has its module before its name in `tp_name` alone. */
int is_of_python(object *type) {
  if (!is_heap(type)) return 0;
  object *name = GET(type, ht_name, object *);
  return name && is_text(name) && text_is(name, name_of(type));
}

static int is_enum(object *type) {
  for (object *meta = type_of(type); meta; meta = base_of(meta))
    if (!strcmp(name_of(meta), "EnumMeta") || !strcmp(name_of(meta), "EnumType")) return 1;
  return 0;
}

/* Classes of C, and those that derive from them. */
static const struct {
  const char *name;
  enum class_kind kind;
} known[] = {
    {"numpy.ndarray", CLASS_ARRAY},
    {"decimal.Decimal", CLASS_DECIMAL},
    {"datetime.datetime", CLASS_DATETIME},
    {"datetime.date", CLASS_DATE},
    {"datetime.time", CLASS_TIME},
    {"datetime.timedelta", CLASS_TIMEDELTA},
    {"datetime.timezone", CLASS_TIMEZONE},
    {"pandas._libs.arrays.NDArrayBacked", CLASS_BACKED},
    {"pandas._libs.tslibs.nattype._NaT", CLASS_NOT_A_TIME},
};

static int is_path(object *type) {
  object *module;
  if (!is_heap(type) || strcmp(name_of(type), "PurePath")) return 0;
  object *dict = GET(type, tp_dict, object *);
  module = dict ? value_in(dict, "__module__") : 0;
  return module && is_text(module) && text_of(module).length >= 7 &&
         !memcmp(text_of(module).units, "pathlib", 7);
}

/* Of pandas, written in Python. */
static const struct {
  const char *name;
  enum class_kind kind;
} tables[] = {
    {"DataFrame", CLASS_FRAME},
    {"Series", CLASS_SERIES},
    {"Index", CLASS_INDEX},
    {"BaseMaskedArray", CLASS_MASKED},
};

static int is_of_pandas(object *type) {
  object *dict = GET(type, tp_dict, object *), *module = dict ? value_in(dict, "__module__") : 0;
  if (!module || !is_text(module)) return 0;
  struct text text = text_of(module);
  return text.is_ascii && text.length >= 6 && !memcmp(text.units, "pandas", 6) &&
         (text.length == 6 || text.units[6] == '.');
}

/* Written in Python by a package, not by the program. */
static enum class_kind kind_of_python(object *type) {
  if (is_path(type)) return CLASS_PATH;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (!strcmp(name_of(type), tables[i].name) && is_of_pandas(type)) return tables[i].kind;
  return CLASS_PLAIN;
}

static enum class_kind kind_of_c(object *type) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name_of(type), known[i].name)) return known[i].kind;
  return element_is_scalar(name_of(type)) ? CLASS_SCALAR : CLASS_PLAIN;
}

static enum class_kind kind_of(object *type) {
  if (is_enum(type)) return CLASS_ENUM;
  enum class_kind kind = CLASS_PLAIN;
  for (object *one = type; one && kind == CLASS_PLAIN; one = base_of(one))
    kind = is_of_python(one) ? kind_of_python(one) : kind_of_c(one);
  return kind;
}

static u32 flags_for(object *type, enum class_kind kind) {
  u32 flags = kind == CLASS_ENUM ? TYPE_FLAG_ENUM : kind == CLASS_ARRAY ? TYPE_FLAG_NDARRAY : 0;
  if (flags_of(type) & TYPE_IS_EXCEPTION) flags |= TYPE_FLAG_EXCEPTION;
  object *dict = is_heap(type) ? GET(type, tp_dict, object *) : 0;
  if (dict && value_in(dict, "__dataclass_fields__")) flags |= TYPE_FLAG_DATACLASS;
  return flags;
}

/* `name` alone; in front of its last point the module of a class of C. */
static u32 define(object *type, enum class_kind kind) {
  const char *name = name_of(type), *point = strrchr(name, '.'), *module = name;
  size_t module_length = point ? (size_t)(point - name) : 0;
  if (is_heap(type)) {
    object *dict = GET(type, tp_dict, object *);
    object *text = dict ? value_in(dict, "__module__") : 0;
    if (text && is_text(text)) {
      module = utf8_of(text);
      module_length = strlen(module);
    }
  }
  struct fields fields = {0};
  const char *last = point ? point + 1 : name;
  fields_put_text(&fields, last, strlen(last));
  fields_put_text(&fields, module, module_length);
  fields_put_word(&fields, flags_for(type, kind));
  return fields_define(&fields, DEFINITION_KIND_TYPE, 0);
}

const struct class *class_of(object *type) {
  u32 hash = (u32)((uintptr_t)type >> 4) * 2654435761u >> 19;
  object *heap_name = is_heap(type) ? GET(type, ht_name, object *) : 0;
  struct class *one = 0;
  for (u32 i = 0; i < PLACES; i++) {
    one = &classes[(hash + i) % CLASSES];
    if (one->type == type && one->name == name_of(type) && one->heap_name == heap_name) return one;
    if (!one->type) break;
  }
  enum class_kind kind = kind_of(type);
  u32 number = define(type, kind);
  *one = (struct class){type, name_of(type), heap_name, number, kind};
  return one;
}
