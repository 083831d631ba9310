#include "kiln.h"
#include <stdlib.h>
#include <string.h>

static const char *number(const char *text, int *value) {
  char *end;
  *value = (int)strtol(text, &end, 10);
  return end == text ? NULL : end;
}

static const char *parse_step(const char *text, struct step *step) {
  text = number(text, &step->target);
  if (!text || *text != '/') return NULL;
  text = number(text + 1, &step->minutes);
  step->hold = 0;
#if FAULT == 1
  if (text && *text == '+') text = number(text, &step->minutes);
#else
  if (text && *text == '+') text = number(text + 1, &step->hold);
#endif
  return text;
}

int program_parse(struct program *program, const char *text) {
  const char *colon = strchr(text, ':');
  memset(program, 0, sizeof *program);
  if (!colon || colon - text >= (int)sizeof program->name) return -1;
  memcpy(program->name, text, colon - text);
  for (text = colon + 1; text && program->count < STEPS; text++) {
    text = parse_step(text, &program->steps[program->count]);
    if (!text) return -1;
    program->count++;
    if (*text != ',') break;
  }
  return program->count;
}
