/* The hooked places: what was there, where it went. Nothing here is ever freed: threads may stay
 * inside displaced code for ever. */
#ifndef STROBE_SITES_H
#define STROBE_SITES_H

#include "cpu.h"

#define ISLAND_BYTES (ISLAND_HEAD + DISPLACED_BYTES)

/* Pending: of the arm call under way, its jump is not written yet. Trapped: no jump leads to its
 * island, but the stopper, who has an int3 there. */
enum site_state { SITE_FREE, SITE_PENDING, SITE_PATCHED, SITE_TRAPPED };

struct site {
  u64 address;
  u64 island;    /* 0: none was made for this address */
  u64 displaced; /* where the program goes on */
  u64 led_from;  /* of a rider: the displaced code of its host that leads to it */
  u32 host;      /* of a rider: the number of the site among whose instructions it is, and 1 */
  u32 riders;    /* armed ones, of which this is the host, or that lean on it */
  u32 rider;     /* the number of the one that rides on this, and 1; 0: none */
  u32 lean;      /* of a narrow jump: the number of the site of whose jump it has bytes, and 1 */
  u8 is_probe;
  u8 original[24];
  u8 consumed;
  u8 replaced; /* bytes; fewer than a jump's: it is a narrow one */
  u8 moves;
  u8 state;
  u8 from[MAX_MOVES], to[MAX_MOVES];
};

extern struct site engine_sites[RECORD_MAX_FUNCTIONS];

/* The number of the function whose site begins at the address, or -1. */
int sites_at(u64 address);
void sites_add(u32 fn);
/* Forgets all addresses, then adds those of pending and patched sites. */
void sites_rebuild(void);
/* Where a program counter that lies inside replaced bytes goes on. */
u64 sites_move(u64 pc);
/* Notes where an island lies. */
void sites_add_island(u64 island);
/* The instruction of the original that a program counter in displaced code stands for. */
u64 sites_original(u64 pc);

#endif
