/* The exception that leaves a frame, up to 3.11: the profile hook is not told of it. */
#ifndef STROBE_PYTHON_RAISED_H
#define STROBE_PYTHON_RAISED_H

#include "api.h"

struct raised {
  object *type;
  object *value; /* an instance, what it will be made with, or null */
};

/* Finds the exception that ends the frame whose event the hook handles. Returns whether it is
 * known. */
int raised_find(const object *frame, struct raised *found);

#endif
