/* Classes of values: the number each is defined under, and what of its instances is special. */
#ifndef STROBE_PYTHON_CLASSES_H
#define STROBE_PYTHON_CLASSES_H

#include "api.h"

enum class_kind {
  CLASS_PLAIN,
  CLASS_ENUM,
  CLASS_ARRAY,  /* numpy.ndarray */
  CLASS_SCALAR, /* numpy.int64 and others */
  CLASS_DECIMAL,
  CLASS_DATE,
  CLASS_DATETIME,
  CLASS_TIME,
  CLASS_TIMEDELTA,
  CLASS_TIMEZONE,
  CLASS_PATH,
};

struct class {
  object *type;
  const char *name; /* with `heap_name`: to know whether another class lies there by now */
  object *heap_name;
  u32 number; /* 0: it could not be defined */
  enum class_kind kind;
};

/* What is known of a class; defines it when it is met first. */
const struct class *class_of(object *type);

#endif
