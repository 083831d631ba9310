/* The engine's captures, with the steps of its walks where the tracer finds them. */
#include "../../engine/captureText.c"
#include "../../engine/captureValue.c"
#include "../../engine/walk.c"

extern struct step outside_steps[RECORD_MAX_STEPS] __attribute__((alias("steps")));
