/* Prints one row of native/python/offsetTable.inc: where the headers that it is compiled with put
 * the members of the interpreter's structures. */
#define Py_BUILD_CORE 1
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#if PY_MINOR_VERSION >= 11
#include <internal/pycore_frame.h>
#else
#include <code.h>
#endif
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#if PY_MINOR_VERSION >= 14
#include <internal/pycore_interpframe_structs.h>
#include <internal/pycore_tstate.h>
#endif
#include <stddef.h>
#include <stdio.h>

#define PUT(name, offset) printf(", ." #name " = %d", (int)(offset))
#define AT(name, structure, member) PUT(name, offsetof(structure, member))
#define NONE(name) PUT(name, -1)

static void put_code(void) {
  AT(co_argcount, PyCodeObject, co_argcount);
  AT(co_kwonlyargcount, PyCodeObject, co_kwonlyargcount);
  AT(co_flags, PyCodeObject, co_flags);
  AT(co_firstlineno, PyCodeObject, co_firstlineno);
  AT(co_filename, PyCodeObject, co_filename);
  AT(co_name, PyCodeObject, co_name);
  AT(co_extra, PyCodeObject, co_extra);
  AT(co_stacksize, PyCodeObject, co_stacksize);
#if PY_MINOR_VERSION >= 10
  AT(co_lines, PyCodeObject, co_linetable);
#else
  AT(co_lines, PyCodeObject, co_lnotab);
#endif
  AT(co_nlocals, PyCodeObject, co_nlocals);
#if PY_MINOR_VERSION >= 11
  AT(co_qualname, PyCodeObject, co_qualname);
  AT(co_names_of_locals, PyCodeObject, co_localsplusnames);
  AT(co_kinds_of_locals, PyCodeObject, co_localspluskinds);
  NONE(co_cellvars);
  NONE(co_cell2arg);
  NONE(co_freevars);
  AT(co_firsttraceable, PyCodeObject, _co_firsttraceable);
  AT(co_code, PyCodeObject, co_code_adaptive);
#else
  NONE(co_qualname);
  AT(co_names_of_locals, PyCodeObject, co_varnames);
  NONE(co_kinds_of_locals);
  AT(co_cellvars, PyCodeObject, co_cellvars);
  AT(co_cell2arg, PyCodeObject, co_cell2arg);
  AT(co_freevars, PyCodeObject, co_freevars);
  NONE(co_firsttraceable);
  NONE(co_code);
#endif
}

static void put_frame(void) {
#if PY_MINOR_VERSION >= 11
  AT(frame_locals, struct _PyInterpreterFrame, localsplus);
  AT(frame_globals, struct _PyInterpreterFrame, f_globals);
  AT(frame_previous, struct _PyInterpreterFrame, previous);
  AT(frame_owner, struct _PyInterpreterFrame, owner);
  AT(frame_object_frame, PyFrameObject, f_frame);
  AT(generator_frame, PyGenObject, gi_iframe);
  AT(generator_state, PyGenObject, gi_frame_state);
  NONE(frame_object_back);
  NONE(frame_state);
#if PY_MINOR_VERSION >= 14
  AT(frame_stacktop, struct _PyInterpreterFrame, stackpointer);
  NONE(frame_stackdepth);
#else
  NONE(frame_stacktop);
  AT(frame_stackdepth, struct _PyInterpreterFrame, stacktop);
#endif
#if PY_MINOR_VERSION >= 13
  AT(frame_code, struct _PyInterpreterFrame, f_executable);
  AT(frame_instruction, struct _PyInterpreterFrame, instr_ptr);
#else
  AT(frame_code, struct _PyInterpreterFrame, f_code);
  AT(frame_instruction, struct _PyInterpreterFrame, prev_instr);
#endif
#else
  AT(frame_code, struct _frame, f_code);
  AT(frame_locals, struct _frame, f_localsplus);
  AT(frame_globals, struct _frame, f_globals);
  AT(frame_instruction, struct _frame, f_lasti);
  AT(frame_object_back, struct _frame, f_back);
  NONE(frame_previous);
  NONE(frame_owner);
  NONE(frame_object_frame);
  NONE(generator_frame);
  NONE(generator_state);
#if PY_MINOR_VERSION == 10
  AT(frame_state, struct _frame, f_state);
  NONE(frame_stacktop);
  AT(frame_stackdepth, struct _frame, f_stackdepth);
#else
  NONE(frame_state);
  AT(frame_stacktop, struct _frame, f_stacktop);
  NONE(frame_stackdepth);
#endif
#endif
}

/* What is found from outside: interpreters, their threads, modules and tasks. */
static void put_runtime(void) {
  AT(runtime_interpreters, _PyRuntimeState, interpreters.head);
  AT(interpreter_next, PyInterpreterState, next);
#if PY_MINOR_VERSION >= 11
  AT(interpreter_threads, PyInterpreterState, threads.head);
#else
  AT(interpreter_threads, PyInterpreterState, tstate_head);
#endif
#if PY_MINOR_VERSION >= 12
  AT(interpreter_modules, PyInterpreterState, imports.modules);
#else
  AT(interpreter_modules, PyInterpreterState, modules);
#endif
#if PY_MINOR_VERSION >= 14
  AT(interpreter_tasks, PyInterpreterState, asyncio_tasks_head);
  AT(thread_tasks, _PyThreadStateImpl, asyncio_tasks_head);
#else
  NONE(interpreter_tasks);
  NONE(thread_tasks);
#endif
}

static void put_thread(void) {
  AT(thread_next, PyThreadState, next);
  AT(thread_interpreter, PyThreadState, interp);
  AT(thread_profiler, PyThreadState, c_profilefunc);
#if PY_MINOR_VERSION >= 13
  NONE(thread_cframe);
  AT(thread_frame, PyThreadState, current_frame);
#elif PY_MINOR_VERSION >= 11
  AT(thread_cframe, PyThreadState, cframe);
  AT(thread_frame, _PyCFrame, current_frame);
#else
  NONE(thread_cframe);
  AT(thread_frame, PyThreadState, frame);
#endif
  AT(thread_id, PyThreadState, thread_id);
#if PY_MINOR_VERSION >= 11
  AT(thread_native_id, PyThreadState, native_thread_id);
#else
  NONE(thread_native_id);
#endif
#if PY_MINOR_VERSION >= 12
  AT(thread_exception, PyThreadState, current_exception);
#else
  AT(thread_exception, PyThreadState, curexc_value);
#endif
#if PY_MINOR_VERSION >= 11
  AT(interpreter_next_thread, PyInterpreterState, threads.next_unique_id);
#else
  AT(interpreter_next_thread, PyInterpreterState, tstate_next_unique_id);
#endif
}

static void put_values(void) {
  AT(text_length, PyASCIIObject, length);
  AT(text_state, PyASCIIObject, state);
  PUT(text_ascii_bytes, sizeof(PyASCIIObject));
  PUT(text_compact_bytes, sizeof(PyCompactUnicodeObject));
#if PY_MINOR_VERSION >= 12
  AT(integer_tag, PyLongObject, long_value.lv_tag);
  AT(integer_digits, PyLongObject, long_value.ob_digit);
#else
  NONE(integer_tag);
  AT(integer_digits, PyLongObject, ob_digit);
#endif
  AT(float_value, PyFloatObject, ob_fval);
  AT(bytes_value, PyBytesObject, ob_sval);
  AT(bytearray_start, PyByteArrayObject, ob_start);
  AT(list_items, PyListObject, ob_item);
  AT(tuple_items, PyTupleObject, ob_item);
  AT(dict_used, PyDictObject, ma_used);
  AT(set_used, PySetObject, used);
  AT(set_mask, PySetObject, mask);
  AT(set_table, PySetObject, table);
  AT(cell_content, PyCellObject, ob_ref);
  AT(function_qualname, PyFunctionObject, func_qualname);
  AT(method_function, PyMethodObject, im_func);
  AT(builtin_definition, PyCFunctionObject, m_ml);
  AT(exception_args, PyBaseExceptionObject, args);
  AT(exception_traceback, PyBaseExceptionObject, traceback);
  AT(exception_context, PyBaseExceptionObject, context);
  AT(exception_cause, PyBaseExceptionObject, cause);
  AT(traceback_next, PyTracebackObject, tb_next);
  AT(traceback_frame, PyTracebackObject, tb_frame);
  AT(traceback_line, PyTracebackObject, tb_lineno);
}

int main(void) {
  printf("{.minor = %d", PY_MINOR_VERSION);
  AT(ob_type, PyObject, ob_type);
  AT(ob_size, PyVarObject, ob_size);
  AT(tp_name, PyTypeObject, tp_name);
  AT(tp_basicsize, PyTypeObject, tp_basicsize);
  AT(tp_flags, PyTypeObject, tp_flags);
  AT(tp_members, PyTypeObject, tp_members);
  AT(tp_base, PyTypeObject, tp_base);
  AT(tp_dict, PyTypeObject, tp_dict);
  AT(tp_dictoffset, PyTypeObject, tp_dictoffset);
  AT(ht_name, PyHeapTypeObject, ht_name);
  AT(ht_cached_keys, PyHeapTypeObject, ht_cached_keys);
  put_code();
  put_frame();
  put_thread();
  put_runtime();
  put_values();
  printf("},\n");
  return 0;
}
