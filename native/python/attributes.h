/* The attributes that an object itself has, read from its memory: no code of the program runs, no
 * property, no descriptor, no __getattr__. */
#ifndef STROBE_PYTHON_ATTRIBUTES_H
#define STROBE_PYTHON_ATTRIBUTES_H

#include "api.h"

struct attribute {
  object *name;     /* a text, or null: then `slot` */
  const char *slot; /* of a member that its class declares (__slots__) */
  object *value;
};

/* Goes through them; begins with zeros. */
struct attributes {
  object *of;
  int stage;
  object *class;
  ssize_t at;
};

static inline struct attributes attributes_of(object *of) { return (struct attributes){.of = of}; }

/* The next one; returns whether there is one. */
int attributes_next(struct attributes *all, struct attribute *found);
/* A module, or an instance of a class that derives from that. */
int is_a_module(object *value);
/* What a dictionary has under a text, or null. */
object *value_in(object *dict, const char *name);
/* The value of one by its name, or null. */
object *attribute_named(object *of, const char *name);
/* The same, also what a module or a class has, and data that an object has from its class. */
object *attribute_or_member(object *of, const char *name);

#endif
