/* The writer for Node of the experiments on runtimes: an addon that is handed calls by code that
 * was rewritten to hand them. Node-API is declared here, so that no headers are needed. */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
enum { UNDEFINED, NONE, BOOLEAN, NUMBER, STRING };

extern int napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *,
                            void **);
extern int napi_get_value_string_utf8(napi_env, napi_value, char *, size_t, size_t *);
extern int napi_get_value_string_utf16(napi_env, napi_value, uint16_t *, size_t, size_t *);
extern int napi_get_value_double(napi_env, napi_value, double *);
extern int napi_get_value_bool(napi_env, napi_value, _Bool *);
extern int napi_typeof(napi_env, napi_value, int *);
extern int napi_create_double(napi_env, double, napi_value *);
extern int napi_create_function(napi_env, const char *, size_t, napi_callback, void *,
                                napi_value *);
extern int napi_set_named_property(napi_env, napi_value, const char *, napi_value);

#define MOST_ARGUMENTS 8
#define MOST_TEXT 64

struct arguments {
  size_t count;
  napi_value at[MOST_ARGUMENTS];
};

static struct arguments arguments_of(napi_env env, napi_callback_info info) {
  struct arguments arguments = {MOST_ARGUMENTS, {0}};
  napi_get_cb_info(env, info, &arguments.count, arguments.at, 0, 0);
  return arguments;
}

static double number_of(napi_env env, napi_value value) {
  double number = 0;
  napi_get_value_double(env, value, &number);
  return number;
}

static char *text_of(napi_env env, napi_value value, char *text, size_t room) {
  napi_get_value_string_utf8(env, value, text, room, &(size_t){0});
  return text;
}

static napi_value answer(napi_env env, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  return value;
}

/* open(engine, ring) */
static napi_value open_rings(napi_env env, napi_callback_info info) {
  struct arguments of = arguments_of(env, info);
  char engine[512], ring[512];
  engine_open(text_of(env, of.at[0], engine, sizeof engine));
  return answer(env, engine_begin(text_of(env, of.at[1], ring, sizeof ring), 4, 1 << 20, 1 << 20));
}

/* file(path), then its number in function(name, file, line, flags, parameters) */
static napi_value add_file(napi_env env, napi_callback_info info) {
  struct arguments of = arguments_of(env, info);
  char path[512];
  return answer(env, define_file(text_of(env, of.at[0], path, sizeof path)));
}

static napi_value add_function(napi_env env, napi_callback_info info) {
  struct arguments of = arguments_of(env, info);
  char name[256], parameters[256];
  text_of(env, of.at[0], name, sizeof name);
  text_of(env, of.at[4], parameters, sizeof parameters);
  return answer(env, define_function(name, (uint32_t)number_of(env, of.at[1]),
                                     (uint32_t)number_of(env, of.at[2]),
                                     (uint32_t)number_of(env, of.at[3]), parameters));
}

static uint32_t capture_number(uint64_t *words, double number) {
  int whole = (int)number;
  words[0] = whole_number(whole);
  if (whole == number && whole >= -(1 << 23) && whole < 1 << 23) return 1;
  uint8_t bytes[16] = {ITEM_FLOAT};
  memcpy(bytes + 1, &number, 8);
  words[0] = header(9, 0);
  memcpy(words + 1, bytes, 16);
  return 3;
}

static uint32_t capture_text(napi_env env, napi_value value, uint64_t *words) {
  uint16_t units[MOST_TEXT + 1];
  size_t all, held;
  napi_get_value_string_utf16(env, value, 0, 0, &all);
  napi_get_value_string_utf16(env, value, units, MOST_TEXT + 1, &held);
  uint8_t bytes[8 + 2 * MOST_TEXT] = {ITEM_TEXT2, (uint8_t)all, (uint8_t)held};
  memcpy(bytes + 3, units, 2 * held);
  words[0] = header((uint32_t)(3 + 2 * held), 0);
  memcpy(words + 1, bytes, (3 + 2 * held + 7) / 8 * 8);
  return (uint32_t)(1 + (3 + 2 * held + 7) / 8);
}

static uint32_t capture(napi_env env, napi_value value, uint64_t *words) {
  int type = UNDEFINED;
  _Bool is_true = 0;
  napi_typeof(env, value, &type);
  if (type == NUMBER) return capture_number(words, number_of(env, value));
  if (type == STRING) return capture_text(env, value, words);
  if (type == BOOLEAN) napi_get_value_bool(env, value, &is_true);
  words[0] = immediate(type == BOOLEAN ? is_true ? IMMEDIATE_TRUE : IMMEDIATE_FALSE
                       : type == NONE  ? IMMEDIATE_NONE
                                       : IMMEDIATE_UNDEFINED);
  return 1;
}

/* put(kind, function, activation, ...values) */
static napi_value put(napi_env env, napi_callback_info info) {
  struct arguments of = arguments_of(env, info);
  uint32_t kind = (uint32_t)number_of(env, of.at[0]), fn = (uint32_t)number_of(env, of.at[1]),
           used = 0;
  uint64_t activation = (uint64_t)number_of(env, of.at[2]), words[256];
  if (!engine_takes(kind, fn, activation)) return 0;
  for (size_t i = 3; i < of.count; i++) used += capture(env, of.at[i], words + used);
  engine_record(kind, fn, activation, words, used);
  return 0;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  const struct {
    const char *name;
    napi_callback call;
  } all[] = {{"open", open_rings}, {"file", add_file}, {"function", add_function}, {"put", put}};
  for (int i = 0; i < 4; i++) {
    napi_value made;
    napi_create_function(env, all[i].name, strlen(all[i].name), all[i].call, 0, &made);
    napi_set_named_property(env, exports, all[i].name, made);
  }
  return exports;
}
