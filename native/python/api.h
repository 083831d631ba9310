/* What of an interpreter is called and named here, found by name: the library is linked with none.
 * All but those that say so need the interpreter lock. */
#ifndef STROBE_PYTHON_API_H
#define STROBE_PYTHON_API_H

#include <stdint.h>
#include <sys/types.h>

#include "offsets.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define EXPORT __attribute__((visibility("default")))

/* Any object; its members lie where `offsets` says. */
typedef void object;
typedef int audit_hook(const char *event, object *arguments, void *data);
typedef int profiler(object *self, object *frame, int what, object *argument);

/* X(result, name, parameters) */
#define ALL_FUNCTIONS_OF_PYTHON(X)                                     \
  X(int, Py_IsInitialized, (void))                                     \
  X(const char *, Py_GetVersion, (void))                               \
  X(int, PyGILState_Ensure, (void))                                    \
  X(void, PyGILState_Release, (int))                                   \
  X(void *, PyEval_SaveThread, (void))                                 \
  X(void, PyEval_RestoreThread, (void *))                              \
  X(void, Py_IncRef, (object *))                                       \
  X(void, Py_DecRef, (object *))                                       \
  X(void, PyErr_Clear, (void))                                         \
  X(void, PyErr_Fetch, (object **, object **, object **))              \
  X(void, PyErr_NormalizeException, (object **, object **, object **)) \
  X(object *, PyObject_Str, (object *))                                \
  X(object *, PyDict_New, (void))                                      \
  X(object *, PyDict_Copy, (object *))                                 \
  X(object *, PyDict_GetItem, (object *, object *))                    \
  X(int, PyDict_SetItem, (object *, object *, object *))               \
  X(object *, Py_CompileString, (const char *, const char *, int))     \
  X(object *, PyEval_EvalCode, (object *, object *, object *))         \
  X(object *, PyImport_ImportModule, (const char *))                   \
  X(int, PyThreadState_SetAsyncExc, (unsigned long, object *))         \
  X(int, PyDict_Next, (object *, ssize_t *, object **, object **))     \
  X(object **, _PyObject_GetDictPtr, (object *))                       \
  X(object *, PyImport_GetModuleDict, (void))                          \
  X(object *, PyModule_GetDict, (object *))                            \
  X(object *, PySys_GetObject, (const char *))                         \
  X(object *, PyObject_GetAttrString, (object *, const char *))        \
  X(object *, PyObject_CallFunction, (object *, const char *, ...))    \
  X(object *, PyCFunction_NewEx, (void *, object *, object *))         \
  X(object *, PyObject_GetIter, (object *))                            \
  X(object *, PyIter_Next, (object *))                                 \
  X(long, PyLong_AsLong, (object *))                                   \
  X(int, PyCode_Addr2Line, (object *, int))                            \
  X(int, PyFrame_GetLineNumber, (object *))                            \
  X(void *, PyGILState_GetThisThreadState, (void))                     \
  X(const char *, PyUnicode_AsUTF8AndSize, (object *, ssize_t *))      \
  X(void *, PyInterpreterState_Head, (void))                           \
  X(void *, PyInterpreterState_ThreadHead, (void *))                   \
  X(int, PySys_AddAuditHook, (audit_hook *, void *))

/* X(result, name, parameters, name in other versions): absent where neither is there. */
#define RENAMED_FUNCTIONS_OF_PYTHON(X)                                           \
  X(void *, PyThreadState_GetUnchecked, (void), _PyThreadState_UncheckedGet)     \
  X(int, _PyEval_SetProfile, (void *, profiler *, object *), _PyEval_SetProfile) \
  X(int, _PyEval_SetTrace, (void *, profiler *, object *), _PyEval_SetTrace)     \
  X(ssize_t, PyUnstable_Eval_RequestCodeExtraIndex, (void (*)(void *)),          \
    _PyEval_RequestCodeExtraIndex)                                               \
  X(int, PyUnstable_Code_SetExtra, (object *, ssize_t, void *), _PyCode_SetExtra)

/* X(name): objects. */
#define ALL_OBJECTS_OF_PYTHON(X) \
  X(_Py_NoneStruct)              \
  X(_Py_TrueStruct)              \
  X(_Py_FalseStruct)             \
  X(PyFloat_Type)                \
  X(PySet_Type)                  \
  X(PyFrozenSet_Type)            \
  X(PyByteArray_Type)            \
  X(PyCell_Type)                 \
  X(PyCode_Type)                 \
  X(PyFunction_Type)             \
  X(PyMethod_Type)               \
  X(PyCFunction_Type)            \
  X(PyModule_Type)               \
  X(PyTraceBack_Type)            \
  X(_PyWeakref_RefType)

struct python {
#define FUNCTION(result, name, parameters) result(*name) parameters;
  ALL_FUNCTIONS_OF_PYTHON(FUNCTION)
#undef FUNCTION
#define FUNCTION(result, name, parameters, other) result(*name) parameters;
  RENAMED_FUNCTIONS_OF_PYTHON(FUNCTION)
#undef FUNCTION
#define OBJECT(name) object *name;
  ALL_OBJECTS_OF_PYTHON(OBJECT)
#undef OBJECT
  int minor; /* of version 3 */
};

extern struct python python;

/* Why this process's interpreter is refused; the numbers are those of src/protocol/pythonTracer.ts.
 */
enum python_problem {
  PYTHON_FITS,
  PYTHON_HAS_NO_SYMBOLS,
  PYTHON_IS_UNKNOWN,
  PYTHON_IS_FREE_THREADED,
  PYTHON_IS_PATCHED,
};

/* Finds it. May be called before it is initialized, and by any thread. */
enum python_problem python_find(void);

static inline object *type_of(const object *of) { return GET(of, ob_type, object *); }

/* Bits of tp_flags. */
enum {
  TYPE_INLINE_VALUES = 1 << 2, /* from 3.13 on */
  TYPE_MANAGED_DICT = 1 << 4,  /* from 3.11 on */
  TYPE_IS_HEAP = 1 << 9,
  TYPE_IS_INTEGER = 1 << 24,
  TYPE_IS_LIST = 1 << 25,
  TYPE_IS_TUPLE = 1 << 26,
  TYPE_IS_BYTES = 1 << 27,
  TYPE_IS_TEXT = 1 << 28,
  TYPE_IS_DICT = 1 << 29,
  TYPE_IS_EXCEPTION = 1 << 30,
};
#define TYPE_IS_TYPE (1ul << 31)

static inline u64 flags_of(const object *type) { return GET(type, tp_flags, unsigned long); }

/* From 3.12 on None and its like have no count that could run out. */
static inline object *new_none(void) {
  if (python.minor < 12) python.Py_IncRef(python._Py_NoneStruct);
  return python._Py_NoneStruct;
}

/* As UTF-8, empty where it cannot be had. The text keeps it. */
const char *utf8_of(object *text);

#endif
