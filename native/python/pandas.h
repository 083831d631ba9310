/* Tables of pandas, read from memory: what each is made of, and its first elements. */
#ifndef STROBE_PYTHON_PANDAS_H
#define STROBE_PYTHON_PANDAS_H

#include "arrays.h"
#include "classes.h"

/* What is known of one beside its elements. */
struct table_part {
  const char *name;
  object *value;
};
enum { MOST_TABLE_PARTS = 3 };
/* A DataFrame as its columns, a Series or an Index as its elements; and what else there is to it.
 * `sink->most` is none where it is not looked into. */
void pandas_put(const struct sink *sink, object *value, const struct class *class,
                struct table_part parts[MOST_TABLE_PARTS]);

#endif
