/* Values as they are recorded (src/model/values/dynamicValue.ts), read from the interpreter's
 * memory: no code of the program runs. */
#ifndef STROBE_PYTHON_VALUES_H
#define STROBE_PYTHON_VALUES_H

#include "api.h"

/* Of one event. */
#define MOST_VALUE_WORDS 256

struct capture {
  u64 words[MOST_VALUE_WORDS];
  u32 used;
  u32 levels; /* containers in containers that are looked into; 0: as usual */
};

/* Adds a value; null: it is not set. */
void capture_value(struct capture *capture, object *value);
/* The word of one that takes no more; returns whether it does. */
int capture_immediate(u64 *word, object *value);
/* The same in at most that number of words. */
void capture_within(struct capture *capture, object *value, u32 most_words);
/* An exception that may not have been made yet: of its class, with its message or what it will be
 * made with, or null. */
void capture_exception(struct capture *capture, object *type, object *value);
/* Numbers that were worked out. */
void capture_number(struct capture *capture, int64_t number);
void capture_decimal(struct capture *capture, double decimal);
void capture_word(struct capture *capture, u64 word);

#endif
