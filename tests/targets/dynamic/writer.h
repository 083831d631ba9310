/* What a runtime needs to tell of itself, for small ones of tests: the engine's functions,
 * definitions and values. */
#ifndef WRITER_H
#define WRITER_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 60000

static uint32_t (*engine_define)(uint32_t, uint32_t, uint32_t, const uint8_t *, uint32_t);
static uint32_t (*engine_takes)(uint32_t, uint32_t, uint64_t);
static void (*engine_record)(uint32_t, uint32_t, uint64_t, const uint64_t *, uint32_t);
static void *engine_library;

static void *engine_function(const char *name) {
  void *found = dlsym(engine_library, name);
  if (!found) {
    fprintf(stderr, "the engine has no %s\n", name);
    exit(2);
  }
  return found;
}

/* Loads the engine; what is in the process already is the same. */
static inline void engine_open(const char *path) {
  engine_library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!engine_library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  engine_define = engine_function("engine_define");
  engine_takes = engine_function("engine_takes");
  engine_record = engine_function("engine_record");
}

/* Starts recording into a file; 0, or the engine's error. */
static inline int engine_begin(const char *ring, uint32_t slots, uint32_t ring_bytes,
                               uint32_t most_bytes) {
  int (*start)(const char *, uint32_t, uint32_t, uint32_t, uint64_t,
               int (*)(pthread_key_t *, void (*)(void *)), int (*)(pthread_key_t, const void *),
               int (*)(void (*)(void), void (*)(void), void (*)(void))) =
      engine_function("engine_start");
  return start(ring, slots, ring_bytes, most_bytes, 1ul << 30, pthread_key_create,
               pthread_setspecific, pthread_atfork);
}

struct fields {
  uint32_t bytes;
  uint8_t at[MOST_FIELDS];
};

static inline void put_word(struct fields *fields, uint32_t word) {
  memcpy(fields->at + fields->bytes, &word, 4);
  fields->bytes += 4;
}

static inline void put_bytes(struct fields *fields, const char *text, size_t length) {
  if (length > 4000) length = 4000;
  put_word(fields, (uint32_t)length);
  memcpy(fields->at + fields->bytes, text, length);
  fields->bytes += (uint32_t)length;
}

static inline void put_text(struct fields *fields, const char *text) {
  put_bytes(fields, text, strlen(text));
}

#ifndef LANGUAGE
#define LANGUAGE DEFINITION_LANGUAGE_OTHER
#endif

static inline uint32_t define(uint32_t kind, uint32_t line, const struct fields *fields) {
  return engine_define(kind, LANGUAGE, line, fields->at, fields->bytes);
}

static inline uint32_t define_file(const char *path) {
  static __thread struct fields fields;
  fields.bytes = 0;
  put_text(&fields, path);
  put_text(&fields, "");
  return define(DEFINITION_KIND_FILE, 0, &fields);
}

/* `parameters`: their names with spaces between. */
static inline uint32_t define_function(const char *name, uint32_t file, uint32_t line,
                                       uint32_t flags, const char *parameters) {
  static __thread struct fields fields;
  fields.bytes = 0;
  put_text(&fields, name);
  put_word(&fields, file);
  put_word(&fields, 1);
  put_word(&fields, line * 10);
  put_word(&fields, flags);
  uint32_t count_at = fields.bytes, count = 0;
  put_word(&fields, 0);
  for (const char *from = parameters; *from; count++) {
    size_t length = strcspn(from, " ");
    put_bytes(&fields, from, length);
    from += length + (from[length] == ' ');
  }
  memcpy(fields.at + count_at, &count, 4);
  return define(DEFINITION_KIND_FUNCTION, line, &fields);
}

static inline uint32_t define_type(const char *name, const char *module, uint32_t flags) {
  static __thread struct fields fields;
  fields.bytes = 0;
  put_text(&fields, name);
  put_text(&fields, module);
  put_word(&fields, flags);
  return define(DEFINITION_KIND_TYPE, 0, &fields);
}

static inline uint32_t define_name(const char *name) {
  static __thread struct fields fields;
  fields.bytes = 0;
  put_text(&fields, name);
  return define(DEFINITION_KIND_NAME, 0, &fields);
}

static inline uint32_t define_strand(uint32_t kind, const char *name) {
  static __thread struct fields fields;
  fields.bytes = 0;
  put_word(&fields, kind);
  put_text(&fields, name);
  return define(DEFINITION_KIND_STRAND, 0, &fields);
}

static inline uint64_t header(uint32_t bytes, uint32_t flags) {
  return bytes | (uint64_t)flags << 32;
}

/* A whole number of 24 bits. */
static inline uint64_t whole_number(int value) {
  return header(0, IMMEDIATE_INTEGER << 3 | (uint32_t)value << 8);
}

static inline uint64_t immediate(uint32_t tag) { return header(0, tag << 3); }

/* A short text as a value; returns how many words it took. */
static inline uint32_t text_value(uint64_t *words, const char *text) {
  uint8_t bytes[136] = {ITEM_TEXT1};
  uint32_t length = (uint32_t)strlen(text);
  if (length > 127) length = 127;
  bytes[1] = bytes[2] = (uint8_t)length;
  memcpy(bytes + 3, text, length);
  words[0] = header(3 + length, 0);
  memcpy(words + 1, bytes, (3 + length + 7) / 8 * 8);
  return 1 + (3 + length + 7) / 8;
}

#endif
