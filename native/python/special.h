/* Values of classes that hold their content in a form of their own: numbers of Decimal, dates,
 * paths, arrays. */
#ifndef STROBE_PYTHON_SPECIAL_H
#define STROBE_PYTHON_SPECIAL_H

#include "classes.h"
#include "writer.h"

#define MOST_SPECIAL_BYTES 512

/* As Python's str() shows it; returns its length. */
size_t special_text(object *value, enum class_kind kind, char text[MOST_SPECIAL_BYTES]);
/* The time zone of a date or time; null: it has none. */
object *special_zone(object *value, enum class_kind kind);

#endif
