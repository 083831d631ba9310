/* The engine's walks, with their steps where the tracer finds them. */
#include "../../engine/walk.c"

extern struct step outside_steps[RECORD_MAX_STEPS] __attribute__((alias("steps")));
