/* Classes of values: the number each is defined under, and what of its instances is special. */
#ifndef STROBE_PYTHON_CLASSES_H
#define STROBE_PYTHON_CLASSES_H

#include "api.h"

enum class_kind {
  CLASS_PLAIN,
  CLASS_ENUM,
  CLASS_ARRAY,  /* numpy.ndarray */
  CLASS_SCALAR, /* numpy.int64 and others, complex */
  CLASS_DECIMAL,
  CLASS_DATE,
  CLASS_DATETIME,
  CLASS_TIME,
  CLASS_TIMEDELTA,
  CLASS_TIMEZONE,
  CLASS_PATH,
  CLASS_NOT_A_TIME, /* pandas.NaT */
  /* Of pandas, made of elements. */
  CLASS_FRAME,
  CLASS_SERIES,
  CLASS_INDEX,
  CLASS_BACKED, /* an array of its own beside one of numpy */
  CLASS_MASKED, /* the same, and which elements are missing */
};

struct class {
  object *type;
  const char *name; /* with `heap_name`: to know whether another class lies there by now */
  object *heap_name;
  u32 number; /* 0: it could not be defined */
  enum class_kind kind;
};

/* Whether a statement of Python made a class: its name says nothing of how its instances lie. */
int is_of_python(object *type);
/* What is known of a class; defines it when it is met first. */
const struct class *class_of(object *type);

#endif
