/* See plan.h. */
#include "plan.h"

struct plan engine_plans[RECORD_MAX_FUNCTIONS];
u32 engine_function_count;
u32 engine_next_local = RECORD_LOCAL_FUNCTIONS;
