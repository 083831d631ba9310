#include "sites.h"
#include "condition.h"
#include "engine.h"
#include "fields.h"
#include "hits.h"
#include "notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hit_check *checks;

static struct hit_check *check_for(char *key) {
  struct hit_check *one = checks;
  if (!key || !*key) {
    free(key);
    return 0;
  }
  while (one && strcmp(one->key, key) != 0) one = one->next;
  if (!one && (one = calloc(1, sizeof *one))) {
    one->key = key;
    one->next = checks;
    return checks = one;
  }
  free(key);
  return one;
}

static void read_values(struct reader *from, struct site *site) {
  u32 count = reader_word(from);
  site->values = count && count <= MOST_SITE_VALUES ? calloc(count, sizeof *site->values) : 0;
  site->count = site->values ? count : 0;
  for (u32 i = 0; i < count && !from->is_damaged; i++) {
    struct site_value spare = {0}, *one = i < site->count ? &site->values[i] : &spare;
    one->text = reader_text(from);
    reader_code(from, &one->code);
    if (one != &spare) continue;
    free(spare.text);
    free(spare.code.bytes);
  }
}

static void drop(struct site *site) {
  for (u32 i = 0; i < site->count; i++) {
    free(site->values[i].text);
    free(site->values[i].code.bytes);
  }
  free(site->values);
  free(site->condition.bytes);
  free(site->key);
  free(site->name);
  free(site->probe);
  free(site);
}

static struct site *read_site(struct reader *from) {
  struct site *site = calloc(1, sizeof *site);
  if (!site) {
    from->is_damaged = 1;
    return 0;
  }
  site->key = reader_text(from);
  site->name = reader_text(from);
  site->probe = reader_text(from);
  u32 *numbers[] = {&site->line, &site->column, &site->offset,       &site->after, &site->every,
                    &site->most, &site->levels, &site->is_at_return, &site->stops};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = reader_word(from);
  site->check = check_for(reader_text(from));
  reader_code(from, &site->condition);
  read_values(from, site);
  if (from->is_damaged || !site->key || !site->name || !site->probe) {
    drop(site);
    return 0;
  }
  return site;
}

/* One that is known goes on with what it counted: its key says all that is asked of it. */
static void want(struct site *site, struct sites *sites) {
  struct site *known = sites->first;
  while (known && strcmp(known->key, site->key) != 0) known = known->next;
  if (known) drop(site);
  else {
    site->next = sites->first;
    sites->first = known = site;
  }
  known->is_wanted = 1;
  if (known->is_at_return) sites->returns++;
  else sites->lines++;
}

void sites_read(struct reader *from, struct sites *sites) {
  for (u32 left = reader_word(from); left && !from->is_damaged; left--) {
    struct site *site = read_site(from);
    if (site && sites) want(site, sites);
    else if (site) drop(site);
  }
}

void sites_want_none(struct sites *sites) {
  sites->lines = sites->returns = 0;
  for (struct site *one = sites->first; one; one = one->next) one->is_wanted = 0;
}

static int is_at(const struct site *site, u32 line) {
  return site->is_wanted && !site->is_at_return && site->line == line;
}

int sites_are_at(const struct sites *sites, u32 line) {
  for (const struct site *one = sites->first; one; one = one->next)
    if (is_at(one, line)) return 1;
  return 0;
}

/* What cannot be defined is not recorded. */
static int define(struct site *site, struct file *file) {
  struct fields fields = {0};
  if (site->number || site->is_refused) return site->number != 0;
  u32 in_file = files_number(file);
  fields_put_text(&fields, site->name, strlen(site->name));
  fields_put_word(&fields, in_file);
  fields_put_word(&fields, site->column);
  fields_put_word(&fields, site->offset);
  fields_put_word(&fields, FUNCTION_FLAG_STATEMENT);
  fields_put_word(&fields, site->count);
  for (u32 i = 0; i < site->count; i++)
    fields_put_text(&fields, site->values[i].text, strlen(site->values[i].text));
  if (in_file && fields_put_whole(&fields, site->probe, strlen(site->probe)))
    site->number = fields_define(&fields, DEFINITION_KIND_FUNCTION, site->line);
  site->is_refused = !site->number;
  return site->number != 0;
}

static void add_key(struct stopping *stopping, const char *key) {
  size_t used = strlen(stopping->keys);
  snprintf(stopping->keys + used, sizeof stopping->keys - used, "%s%.*s", used ? " " : "", MOST_KEY,
           key);
}

void sites_reach(const struct sites *sites, struct file *file, u32 line, const struct frame *frame,
                 struct stopping *stopping) {
  struct moment moment = {.frame = frame};
  for (struct site *one = sites->first; one; one = one->next)
    if (is_at(one, line) && define(one, file) && hits_take(one, &moment) && one->stops)
      add_key(stopping, one->key);
}

void sites_return(const struct sites *sites, struct file *file, const struct moment *moment) {
  for (struct site *one = sites->first; one; one = one->next)
    if (one->is_wanted && one->is_at_return && define(one, file)) hits_take(one, moment);
}

/* Once; a module may be loaded again, and be another. */
static void tell(struct site *site, const char *what) {
  char text[MOST_KEY + 16];
  if (site->told == what || !site->is_wanted || site->is_at_return) return;
  site->told = what;
  snprintf(text, sizeof text, "%.*s %s", MOST_KEY, site->key, what);
  notes_write(NOTE_SITE, text);
}

void sites_tell(const struct sites *sites, object *code, int (*has)(object *code, u32 line)) {
  for (struct site *one = sites->first; one; one = one->next)
    tell(one, has(code, one->line) ? SITE_BOUND : SITE_NO_LINE);
}

void sites_tell_edited(const struct sites *sites) {
  for (struct site *one = sites->first; one; one = one->next) tell(one, SITE_EDITED);
}
