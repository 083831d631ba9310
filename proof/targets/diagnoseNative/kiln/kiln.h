#ifndef KILN_H
#define KILN_H

#define STEPS 8

struct step {
  int target;
  int minutes;
  int hold;
};

struct program {
  char name[16];
  int count;
  struct step steps[STEPS];
};

struct log {
  int values[6];
  int first;
  int count;
};

/* "bisque:600/60+10,950/90+20" */
int program_parse(struct program *program, const char *text);
int step_rate(const struct step *step, int from);
int program_minutes(const struct program *program);
int program_at(const struct program *program, int minute);

void log_put(struct log *log, int value);
int log_at(const struct log *log, int back);
int log_mean(const struct log *log);
unsigned checksum(const struct program *program);

#endif
