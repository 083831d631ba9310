struct period {
  int from;
  int degrees;
};

struct plan {
  struct period periods[8];
  int count;
};

struct boiler {
  const struct plan *plan;
  int is_on;
  int starts;
};

void plan_add(struct plan *plan, int from, int degrees);
int plan_target(const struct plan *plan, int minute);
int plan_next_change(const struct plan *plan, int minute);
void boiler_step(struct boiler *boiler, int minute, int degrees);
int boiler_run(struct boiler *boiler, const int *degrees, int count);
