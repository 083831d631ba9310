/* See rings.h. */
#include "rings.h"

__thread struct engine_thread engine_thread;
struct ring_file engine_file;
