#include "raises.h"
#include "attributes.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One that is wanted, or was: it keeps what it counted. */
struct raise {
  struct raise *next;
  char *key, *type; /* an empty type: any */
  u32 is_uncaught, after, every, most;
  u32 met, is_wanted;
};

/* From `tp_dict` to the tuple of a type and what it is derived from. */
enum { TO_MRO = 80 };

static struct raise *all_raises;
u32 raises_wanted;

static void want(struct raise *raise) {
  struct raise *known = all_raises;
  while (known && strcmp(known->key, raise->key) != 0) known = known->next;
  if (known) {
    free(raise->key);
    free(raise->type);
    free(raise);
  } else {
    raise->next = all_raises;
    all_raises = known = raise;
  }
  known->is_wanted = 1;
  raises_wanted++;
}

void raises_read(struct reader *from) {
  raises_wanted = 0;
  for (struct raise *one = all_raises; one; one = one->next) one->is_wanted = 0;
  for (u32 left = reader_word(from); left && !from->is_damaged; left--) {
    struct raise *one = calloc(1, sizeof *one);
    if (!one) return;
    one->key = reader_text(from);
    one->type = reader_text(from);
    one->is_uncaught = reader_word(from);
    one->after = reader_word(from);
    one->every = reader_word(from);
    one->most = reader_word(from);
    if (one->key && one->type && !from->is_damaged) want(one);
  }
}

/* ── of which type ── */

/* Whether a type is called so: `json.JSONDecodeError` is one of json.decoder, too. */
static int is_called(object *type, const char *wanted) {
  const char *name = GET(type, tp_name, const char *), *point = strrchr(name, '.');
  const char *last = strrchr(wanted, '.');
  if (strcmp(point ? point + 1 : name, last ? last + 1 : wanted) != 0) return 0;
  if (!last) return 1;
  object *dict = GET(type, tp_dict, object *), *module = dict ? value_in(dict, "__module__") : 0;
  const char *in = module && is_text(module) ? utf8_of(module) : point ? name : "builtins";
  size_t length = (size_t)(last - wanted);
  return !strncmp(in, wanted, length) && (!in[length] || in[length] == '.');
}

static int is_of(object *type, const char *wanted) {
  object *all = AT(type, offsets.tp_dict + TO_MRO, object *);
  for (ssize_t i = 0, count = all ? GET(all, ob_size, ssize_t) : 0; i < count; i++)
    if (is_called((&GET(all, tuple_items, object *))[i], wanted)) return 1;
  return 0;
}

/* What ends loops and generators, and is no fault. */
static int is_plain_end(object *type) {
  static const char *const ends[] = {"StopIteration", "StopAsyncIteration", "GeneratorExit",
                                     "SystemExit"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (!strcmp(GET(type, tp_name, const char *), ends[i])) return 1;
  return 0;
}

static int is_due(struct raise *raise) {
  u32 met = ++raise->met;
  if (met <= raise->after) return 0;
  u32 nth = met - raise->after, step = raise->every ? raise->every : 1;
  return nth % step == 0 && (!raise->most || nth / step <= raise->most);
}

void raises_add(object *type, u32 is_uncaught, char *keys) {
  for (struct raise *one = all_raises; one; one = one->next) {
    int is_meant = *one->type ? is_of(type, one->type) : !is_plain_end(type);
    if (!one->is_wanted || one->is_uncaught != is_uncaught || !is_meant || !is_due(one)) continue;
    size_t used = strlen(keys);
    snprintf(keys + used, MOST_RAISE_KEYS - used, "%s%s", used ? " " : "", one->key);
  }
}
