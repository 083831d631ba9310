#include "lines.h"

/* In a tuple of co_lines: from, to, line. */
enum { LINE = 2 };

static int is_of(const object *range, long line) {
  object *own = (&GET(range, tuple_items, object *))[LINE];
  return own != python._Py_NoneStruct && python.PyLong_AsLong(own) == line;
}

int lines_has(object *code, u32 line) {
  object *method = python.PyObject_GetAttrString(code, "co_lines");
  object *ranges = method ? python.PyObject_CallFunction(method, 0) : 0;
  object *iterator = ranges ? python.PyObject_GetIter(ranges) : 0, *range;
  int found = !iterator;
  while (iterator && !found && (range = python.PyIter_Next(iterator))) {
    found = is_of(range, (long)line);
    python.Py_DecRef(range);
  }
  if (iterator) python.Py_DecRef(iterator);
  if (ranges) python.Py_DecRef(ranges);
  if (method) python.Py_DecRef(method);
  python.PyErr_Clear();
  return found;
}
