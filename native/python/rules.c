#include "rules.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 256, MOST_TOKENS = 1024 };
/* As in src/model/names/nameAutomaton.ts. */
enum { TOKEN_SEGMENT = -1, TOKEN_ANY = -2, TOKEN_OPTIONAL_PAIR = -3, TOKEN_ONE = -4 };
enum { SEPARATOR = 0x110000 };

u32 rules_count;
static struct rule rules[MOST_RULES];

void rules_clear(void) {
  while (rules_count > 0) free(rules[--rules_count].tokens);
}

void rules_add(struct rule rule) {
  if (rules_count < MOST_RULES && rule.count < MOST_TOKENS) rules[rules_count++] = rule;
  else free(rule.tokens);
}

/* Adds a place and those that are reached from it without a character. */
static void reach(const struct rule *rule, u8 *places, u32 place) {
  while (place <= rule->count && !places[place]) {
    places[place] = 1;
    if (place == rule->count || rule->tokens[place] >= 0 || rule->tokens[place] == TOKEN_ONE)
      return;
    if (rule->tokens[place] == TOKEN_OPTIONAL_PAIR) reach(rule, places, place + 3);
    place++;
  }
}

static void step(const struct rule *rule, const u8 *places, u8 *next, int32_t character) {
  memset(next, 0, rule->count + 1);
  for (u32 place = 0; place < rule->count; place++) {
    int32_t token = rule->tokens[place];
    int is_in_segment = character != SEPARATOR;
    if (!places[place]) continue;
    if (token == character || (token == TOKEN_ONE && is_in_segment)) reach(rule, next, place + 1);
    else if (token == TOKEN_ANY || (token == TOKEN_SEGMENT && is_in_segment))
      reach(rule, next, place);
  }
}

static int matches(const struct rule *rule, const char *name) {
  u8 places[2][MOST_TOKENS + 1];
  u32 now = 0;
  memset(places[now], 0, rule->count + 1);
  for (const char *at = name; *at; at++, now = !now) {
    if (at == name || at[-1] == '.') reach(rule, places[now], 0);
    step(rule, places[now], places[!now], *at == '.' ? SEPARATOR : (u8)*at);
  }
  return places[now][rule->count];
}

const struct rule *rules_find(const char *qualname) {
  for (u32 i = 0; i < rules_count; i++)
    if (matches(&rules[i], qualname)) return &rules[i];
  return 0;
}
