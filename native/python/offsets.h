/* Where the members of an interpreter's structures lie. There is no Python.h here: one library
 * serves all versions. */
#ifndef STROBE_PYTHON_OFFSETS_H
#define STROBE_PYTHON_OFFSETS_H

#include <stdint.h>

/* X(name) for each of them; NO_MEMBER where a version has none. offsetTable.inc holds the rows,
 * which `node scripts/pythonOffsets.mjs` makes of the headers of each version. */
#define ALL_OFFSETS(X)       \
  X(ob_type)                 \
  X(ob_size)                 \
  X(tp_name)                 \
  X(tp_basicsize)            \
  X(tp_flags)                \
  X(tp_members)              \
  X(tp_base)                 \
  X(tp_dict)                 \
  X(tp_dictoffset)           \
  X(ht_name)                 \
  X(ht_cached_keys)          \
  X(co_argcount)             \
  X(co_kwonlyargcount)       \
  X(co_flags)                \
  X(co_firstlineno)          \
  X(co_filename)             \
  X(co_name)                 \
  X(co_qualname)             \
  X(co_extra)                \
  X(co_names_of_locals)      \
  X(co_kinds_of_locals)      \
  X(co_cellvars)             \
  X(co_cell2arg)             \
  X(co_freevars)             \
  X(co_nlocals)              \
  X(co_lines)                \
  X(co_stacksize)            \
  X(co_firsttraceable)       \
  X(co_code)                 \
  X(frame_code)              \
  X(frame_locals)            \
  X(frame_globals)           \
  X(frame_previous)          \
  X(frame_instruction)       \
  X(frame_owner)             \
  X(frame_object_frame)      \
  X(frame_object_back)       \
  X(frame_state)             \
  X(frame_stacktop)          \
  X(frame_stackdepth)        \
  X(generator_frame)         \
  X(generator_state)         \
  X(thread_next)             \
  X(thread_interpreter)      \
  X(thread_cframe)           \
  X(thread_frame)            \
  X(thread_id)               \
  X(thread_native_id)        \
  X(thread_profiler)         \
  X(thread_exception)        \
  X(interpreter_next_thread) \
  X(runtime_interpreters)    \
  X(interpreter_next)        \
  X(interpreter_threads)     \
  X(interpreter_modules)     \
  X(interpreter_tasks)       \
  X(thread_tasks)            \
  X(text_length)             \
  X(text_state)              \
  X(text_ascii_bytes)        \
  X(text_compact_bytes)      \
  X(integer_tag)             \
  X(integer_digits)          \
  X(float_value)             \
  X(bytes_value)             \
  X(bytearray_start)         \
  X(list_items)              \
  X(tuple_items)             \
  X(dict_used)               \
  X(set_used)                \
  X(set_mask)                \
  X(set_table)               \
  X(cell_content)            \
  X(function_qualname)       \
  X(method_function)         \
  X(builtin_definition)      \
  X(exception_args)          \
  X(exception_traceback)     \
  X(exception_context)       \
  X(exception_cause)         \
  X(traceback_next)          \
  X(traceback_frame)         \
  X(traceback_line)

#define NO_MEMBER (-1)

struct offsets {
  int32_t minor; /* of version 3 */
#define MEMBER(name) int32_t name;
  ALL_OFFSETS(MEMBER)
#undef MEMBER
};

/* Those of the interpreter of this process. */
extern struct offsets offsets;

/* Why an interpreter is refused. */
enum offsets_problem { OFFSETS_FIT, OFFSETS_UNKNOWN, OFFSETS_FREE_THREADED, OFFSETS_PATCHED };

/* Takes those of version 3.`minor`. `debug_offsets`: the interpreter's own (_Py_DebugOffsets), or
 * null before 3.13. */
enum offsets_problem offsets_choose(int minor, const void *debug_offsets);

#define AT(from, offset, type) (*(type *)((uint8_t *)(from) + (offset)))
/* A member of an object of the interpreter. */
#define GET(from, member, type) AT(from, offsets.member, type)

#endif
