/* Arrays and numbers of numpy, read from memory. */
#ifndef STROBE_PYTHON_ARRAYS_H
#define STROBE_PYTHON_ARRAYS_H

#include "writer.h"

/* Kind of its elements and shape. */
void arrays_put_type(struct writer *to, const object *array, u32 class);
/* A list of its first elements, as far as they can be read; `put` writes an object. */
void arrays_put_elements(struct writer *to, const object *array, u32 most,
                         void (*put)(void *scope, object *value), void *scope);
/* Whether a class is that of one number. */
int arrays_is_scalar(const char *class_name);
void arrays_put_scalar(struct writer *to, object *scalar);

#endif
