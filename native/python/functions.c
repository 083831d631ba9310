#include "functions.h"
#include "attributes.h"
#include "fields.h"
#include "notes.h"
#include "paths.h"
#include "raises.h"
#include "rules.h"
#include "texts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 32 };
/* Bits of co_flags. */
enum {
  HAS_VARARGS = 4,
  HAS_KEYWORDS = 8,
  IS_GENERATOR = 0x20,
  IS_COROUTINE = 0x80,
  IS_ASYNC_GENERATOR = 0x200
};

u32 functions_generation = 1, functions_wanted, functions_sited, functions_start;
u64 functions_triggers;

/* ── the table ── */

static void read_watches(struct reader *from, struct function *function) {
  for (u32 i = 0; i < function->watch_count; i++) free(function->watches[i].code.bytes);
  free(function->watches);
  u32 count = reader_word(from);
  function->watches = count && count <= MOST_WATCHES ? calloc(count, sizeof(struct watch)) : 0;
  function->watch_count = function->watches ? count : 0;
  function->watched_at = 0;
  for (u32 i = 0; i < count && !from->is_damaged; i++) {
    struct watch spare = {0}, *one = i < function->watch_count ? &function->watches[i] : &spare;
    one->number = reader_word(from);
    one->at = reader_word(from);
    reader_code(from, &one->code);
    if (one == &spare) free(spare.code.bytes);
    function->watched_at |= one->at;
  }
}

static struct function *function_in(struct file *file, const char *qualname, u32 first_line) {
  for (struct function *one = file->functions; one; one = one->next)
    if (one->first_line == first_line && !strcmp(one->qualname, qualname)) return one;
  return 0;
}

/* The one of a file that has these, or a new one; texts are kept. */
static struct function *function_for(struct file *file, char *name, char *qualname,
                                     u32 first_line) {
  struct function *known = file && name && qualname ? function_in(file, qualname, first_line) : 0;
  struct function *made = known || !file || !name || !qualname ? 0 : calloc(1, sizeof *made);
  if (!made) {
    free(name);
    free(qualname);
    return known;
  }
  made->file = file;
  made->name = name;
  made->qualname = qualname;
  made->first_line = first_line;
  made->next = file->functions;
  file->functions = made;
  return made;
}

/* In any order of functions. */
static void add_trigger(const struct function *function, const struct code_text *code, u64 seed) {
  u64 hash = seed ^ (u64)function;
  if (!code->length) return;
  for (u32 i = 0; i < code->length; i++) hash = (hash ^ code->bytes[i]) * 1099511628211ul;
  functions_triggers += hash | 1;
}

static void read_function(struct reader *from, struct file *file) {
  struct function spare = {0}, *function;
  char *name = reader_text(from), *qualname = reader_text(from);
  u32 first_line = reader_word(from);
  function = function_for(file, name, qualname, first_line);
  if (!function) function = &spare;
  u32 had_first = function->first;
  function->line = reader_word(from);
  function->column = reader_word(from);
  function->offset = reader_word(from);
  function->every = reader_word(from);
  function->first = reader_word(from);
  function->depth = reader_word(from);
  function->levels = reader_word(from);
  function->least_ns = reader_long(from);
  reader_code(from, &function->when);
  reader_code(from, &function->start);
  reader_code(from, &function->stop);
  reader_code(from, &function->when_return);
  read_watches(from, function);
  if (function->first != had_first) function->left = function->first;
  function->is_wanted = !from->is_damaged;
  function->is_plain = !function->first && !function->depth && !function->least_ns &&
                       !function->when.length && !function->start.length &&
                       !function->stop.length && !function->when_return.length &&
                       !function->watch_count;
  functions_wanted += function->is_wanted;
  if (function->start.length) functions_start = 1;
  add_trigger(function, &function->start, 1);
  add_trigger(function, &function->stop, 2);
  if (function->number) engine.set_share(function->number, function->every);
}

static void want_none_of(struct file *file) {
  for (struct function *one = file->functions; one; one = one->next) {
    one->is_wanted = 0;
    sites_want_none(&one->sites);
  }
}

static void want_none(void) {
  files_each(want_none_of);
  functions_wanted = functions_sited = functions_start = 0;
  functions_triggers = 0;
}

static void read_rule(struct reader *from) {
  struct rule rule = {
      .every = reader_word(from), .first = reader_word(from), .depth = reader_word(from)};
  rule.least_ns = reader_long(from);
  u32 count = reader_word(from), left = (u32)(from->end - from->at) / 4;
  if (count > left) from->is_damaged = 1;
  rule.tokens = from->is_damaged ? 0 : malloc(4 * count + 4);
  if (!rule.tokens) return;
  for (rule.count = 0; rule.count < count; rule.count++)
    rule.tokens[rule.count] = (int32_t)reader_word(from);
  rules_add(rule);
}

static void want_by_rule(struct function *function) {
  const struct rule *rule = rules_find(function->qualname);
  function->is_wanted = rule != 0;
  if (!rule) return;
  if (function->first != rule->first) function->left = rule->first;
  function->every = rule->every;
  function->first = rule->first;
  function->depth = rule->depth;
  function->least_ns = rule->least_ns;
  function->is_plain = !rule->first && !rule->depth && !rule->least_ns;
  if (function->number) engine.set_share(function->number, function->every);
}

/* A function, or the code of a module or class, in which breakpoints are. */
static void read_place(struct reader *from) {
  struct file *file = files_for(reader_text(from));
  char *name = reader_text(from), *qualname = reader_text(from);
  struct function *function = function_for(file, name, qualname, reader_word(from));
  sites_read(from, function ? &function->sites : 0);
  if (!function) return;
  functions_sited += function->sites.lines > 0;
  if (function->sites.returns) function->is_plain = 0;
}

static int is_made(const char *path) { return *path == '<'; }

static void want_by_rules(struct file *file) {
  for (struct function *one = is_made(file->path) ? file->functions : 0; one; one = one->next)
    want_by_rule(one);
}

int functions_set(const u8 *table, u32 bytes) {
  struct reader from = {table, table + bytes, 0};
  want_none();
  functions_generation++;
  for (u32 left = reader_word(&from); left && !from.is_damaged; left--) {
    struct file *file = files_for(reader_text(&from));
    for (u32 more = reader_word(&from); more && !from.is_damaged; more--)
      read_function(&from, file);
  }
  rules_clear();
  for (u32 left = reader_word(&from); left && !from.is_damaged; left--) read_rule(&from);
  for (u32 left = reader_word(&from); left && !from.is_damaged; left--) read_place(&from);
  raises_read(&from);
  functions_wanted += rules_count;
  files_each(want_by_rules);
  return !from.is_damaged;
}

/* ── code objects ── */

static object *qualname_of(const object *code) {
  if (offsets.co_qualname == NO_MEMBER) return 0;
  return GET(code, co_qualname, object *);
}

/* Behind the last point. */
static const char *last_name(const char *qualname) {
  const char *point = strrchr(qualname, '.');
  return point ? point + 1 : qualname;
}

/* The line says it; of several there the qualified name. In a file that was edited since its module
 * was run lines are others: then its qualified name does, if one function alone has it. */
static struct function *find_in(struct file *file, object *code) {
  const char *name = utf8_of(GET(code, co_name, object *));
  object *own = qualname_of(code);
  const char *qualname = own ? utf8_of(own) : 0;
  u32 line = (u32)GET(code, co_firstlineno, int);
  struct function *at_line = 0, *other = 0;
  u32 others = 0;
  for (struct function *one = file->functions; one; one = one->next) {
    if (!one->is_wanted && !one->sites.lines) continue;
    int is_same = qualname && !strcmp(one->qualname, qualname);
    if (one->first_line == line && !strcmp(last_name(one->qualname), name)) {
      if (is_same) return one;
      at_line = one;
    }
    if (is_same) {
      other = one;
      others++;
    }
  }
  return at_line ? at_line : others == 1 ? other : 0;
}

static int is_module(const object *code) {
  return text_is(GET(code, co_name, object *), "<module>");
}

int functions_is_same(const struct function *function, const object *code) {
  return is_module(code) || (u32)GET(code, co_firstlineno, int) == function->first_line;
}

static void note(struct source *source) {
  if (source->is_noted) return;
  source->is_noted = 1;
  notes_write(NOTE_MODULE, source->path);
}

void functions_note_modules(void) {
  object *modules = python.PyImport_GetModuleDict(), *name, *module;
  ssize_t at = 0;
  while (modules && python.PyDict_Next(modules, &at, &name, &module)) {
    object *names = is_a_module(module) ? python.PyModule_GetDict(module) : 0;
    object *file = names ? value_in(names, "__file__") : 0;
    struct source *source = file && is_text(file) ? path_of(file) : 0;
    if (source) note(source);
  }
}

/* One that lies in no file, such as of exec or a named tuple; the interpreter's own are none. */
static struct function *made_function(object *code) {
  const char *path = utf8_of(GET(code, co_filename, object *));
  object *own = qualname_of(code);
  const char *qualname = utf8_of(own ? own : GET(code, co_name, object *));
  if (!rules_count || !is_made(path) || !strncmp(path, "<frozen", 7) || *qualname == '<' ||
      !rules_find(qualname))
    return 0;
  u32 line = (u32)GET(code, co_firstlineno, int);
  struct function *made =
      function_for(files_for(strdup(path)), strdup(qualname), strdup(qualname), line);
  if (!made) return 0;
  made->line = made->offset = line;
  want_by_rule(made);
  return made;
}

struct function *functions_find(object *code) {
  struct source *source = path_of(GET(code, co_filename, object *));
  if (!source) return made_function(code);
  if (is_module(code)) note(source);
  struct file *file = files_at(source->path);
  return file ? find_in(file, code) : 0;
}

u32 functions_parameters(const object *code) {
  int flags = GET(code, co_flags, int);
  u32 count = (u32)(GET(code, co_argcount, int) + GET(code, co_kwonlyargcount, int)) +
              !!(flags & HAS_VARARGS) + !!(flags & HAS_KEYWORDS);
  return count < MOST_PARAMETERS ? count : MOST_PARAMETERS;
}

static u32 flags_for(const struct function *function, const object *code) {
  int flags = GET(code, co_flags, int);
  return (flags & IS_GENERATOR ? FUNCTION_FLAG_GENERATOR : 0) |
         (flags & IS_COROUTINE ? FUNCTION_FLAG_COROUTINE : 0) |
         (flags & IS_ASYNC_GENERATOR ? FUNCTION_FLAG_ASYNC_GENERATOR : 0) |
         (!strcmp(last_name(function->qualname), "<lambda>") ? FUNCTION_FLAG_LAMBDA : 0);
}

int functions_define_new(struct function *function, object *code) {
  if (function->is_refused) return 0;
  struct fields fields = {0};
  u32 count = functions_parameters(code), file = files_number(function->file);
  object *names = GET(code, co_names_of_locals, object *);
  fields_put_text(&fields, function->name, strlen(function->name));
  fields_put_word(&fields, file);
  fields_put_word(&fields, function->column);
  fields_put_word(&fields, function->offset);
  fields_put_word(&fields, flags_for(function, code));
  fields_put_word(&fields, count);
  for (u32 i = 0; i < count; i++) {
    const char *name = utf8_of((&GET(names, tuple_items, object *))[i]);
    fields_put_text(&fields, name, strlen(name));
  }
  function->has_self = count > 0 && text_is((&GET(names, tuple_items, object *))[0], "self");
  if (file) function->number = fields_define(&fields, DEFINITION_KIND_FUNCTION, function->line);
  if (!function->number) function->is_refused = 1;
  else if (function->every) engine.set_share(function->number, function->every);
  return function->number != 0;
}
