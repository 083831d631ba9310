/* One element of an array, or a scalar, of numpy, as its type (PyArray_Descr) lays it out. */
#ifndef STROBE_PYTHON_ELEMENTS_H
#define STROBE_PYTHON_ELEMENTS_H

#include "writer.h"

/* Where it is written, and how an object in it is. */
struct sink {
  struct writer *to;
  void *scope;
  void (*put)(void *scope, object *value);
  u32 most; /* elements that are written */
};

/* Returns whether it can be read. */
int element_put(const struct sink *sink, const object *type, u64 at);
/* A scalar by the name of its class, or of the nearest base that is known; 0: none is. */
int element_is_scalar(const char *class_name);
void element_put_scalar(const struct sink *sink, object *scalar);
/* `(1+2j)` */
void element_put_complex(struct writer *to, double real, double imaginary);

/* PyArray_Descr, behind its head: its class, then kind, letter and byte order of an element. */
enum { ELEMENT_KIND = 24 };

#endif
