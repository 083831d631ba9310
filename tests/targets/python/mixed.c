/* A C extension whose functions call back into Python: native and Python frames by turns. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define KEPT __attribute__((noinline, noclone, visibility("default")))

KEPT long twice(long number) { return number * 2; }

/* Calls back for each number below `count`; its own callback comes first. */
KEPT PyObject *each(PyObject *callback, long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) {
    PyObject *result = PyObject_CallFunction(callback, "l", twice(i));
    if (!result) return NULL;
    sum += PyLong_AsLong(result);
    Py_DECREF(result);
  }
  return PyLong_FromLong(sum);
}

KEPT PyObject *mixed_each(PyObject *self, PyObject *arguments) {
  PyObject *callback;
  long count;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "Ol", &callback, &count)) return NULL;
  return each(callback, count);
}

KEPT PyObject *mixed_break(PyObject *self, PyObject *arguments) {
  (void)self, (void)arguments;
  *(volatile int *)8 = 1;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"each", mixed_each, METH_VARARGS, 0},
                                {"break_down", mixed_break, METH_NOARGS, 0},
                                {0, 0, 0, 0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "mixed", 0, -1, methods, 0, 0, 0, 0};

PyMODINIT_FUNC PyInit_mixed(void) { return PyModule_Create(&module); }
