/* Names of functions that the program makes while it runs, from texts that lie in no file
 * (src/protocol/pythonTracer.ts). */
#ifndef STROBE_PYTHON_RULES_H
#define STROBE_PYTHON_RULES_H

#include "api.h"

struct rule {
  u32 every, first, depth;
  u64 least_ns;
  int32_t *tokens;
  u32 count;
};

/* How many there are. */
extern u32 rules_count;

void rules_clear(void);
/* Takes `tokens` over; what finds no room is freed. */
void rules_add(struct rule rule);
/* The first that means a qualified name, from any of its parts on; null: none does. */
const struct rule *rules_find(const char *qualname);

#endif
