/* See walk.h.
 *
 *   value = header (u32 bytes, u32 flags) · piece 0 (the value itself) · piece 1 · …
 *   piece = address u64 · bytes u32 · node u16 · depth u8 · flags u8 · the bytes, zeros up to 8
 *
 * Pieces are a queue: the steps of each piece's node append further ones, until the queue or the
 * room ends. So what is near comes first, cycles end at what is known, and no stack is needed.
 *
 * What lies deeper than the levels that are wanted whole is copied when these are there, from the
 * first piece on again, and only as long as a budget of its own lasts: nothing near is left out for
 * it. */
#include "walk.h"
#include "cpu.h"
#include "raw.h"
#include "reads.h"

struct step {
  u8 kind, flags;
  u16 node; /* of what it leads to, counted from the program's first step */
  u32 at;   /* offset in the piece */
  u32 size;
  u32 a, b, c, d, e;
};
_Static_assert(sizeof(struct step) == WALK_STEP_BYTES, "the step is the contract's");

struct piece {
  u64 address;
  u32 bytes;
  u16 node;
  u8 depth, flags;
};

struct walk {
  u64 *words;
  u32 begin, used, room;
  u32 reads;                    /* that are left */
  u32 depth_least, depth_limit; /* of the pieces that are added */
  u32 object_bytes, text_bytes, most_elements;
  u32 flags;
  u32 cut;         /* the flag that tells that something had no room */
  u32 goes_deeper; /* whether something was left out for its depth */
  const struct step *steps;
  u64 object, table, method; /* the object and the vtable read last, and the address in that */
  u64 teller; /* the address of what tells a type, looked at last, and what that tells */
  u32 told;
  u32 looks_again; /* whether what was copied is now compared */
  u32 blanks;      /* whether secrets in what was copied are now wiped */
};

/* Where the steps of one node are applied. */
struct place {
  const u8 *bytes;
  u64 address;
  u32 length;
  u8 depth;
};

#define MOST_READS 300
#define MOST_NESTED 4
#define PIECE_WORDS 2
#define GROUP 64
#define PLAIN_WORDS 6
#define MOST_AGAIN 128

/* Of one object, one text and one container, beyond the levels that are wanted whole. */
#define FAR_OBJECT_BYTES 48
#define FAR_TEXT_BYTES 64
#define FAR_ELEMENTS 4

static struct step steps[RECORD_MAX_STEPS];

/* Puts `count` steps of the contract's layout at index `first`. Returns 0, or a negative error
 * number. */
EXPORT int engine_set_steps(u32 first, const u8 *table, u32 count) {
  if (count > RECORD_MAX_STEPS || first > RECORD_MAX_STEPS - count) return -ERR_INVALID;
  copy_bytes(&steps[first], table, (u64)count * sizeof *steps);
  return 0;
}

static u64 load(const struct place *place, u32 at, u32 size) {
  u64 value = 0;
  if ((u64)at + size > place->length || size > 8) return 0;
  if (size == 8) return *(const u64 *)(place->bytes + at);
  if (size == 4) return *(const u32 *)(place->bytes + at);
  copy_words(&value, place->bytes + at, size);
  return value;
}

static struct piece *piece_at(const struct walk *walk, u32 at) {
  return (struct piece *)&walk->words[at];
}

static u32 after_piece(const struct walk *walk, u32 at) {
  return at + PIECE_WORDS + (piece_at(walk, at)->bytes + 7) / 8;
}

static int is_known(const struct walk *walk, u64 address, u32 node, int anywhere) {
  for (u32 at = walk->begin; at < walk->used; at = after_piece(walk, at)) {
    const struct piece *piece = piece_at(walk, at);
    if (piece->address == address && piece->node == node) return 1;
    if (anywhere && address >= piece->address && address - piece->address < piece->bytes) return 1;
  }
  return 0;
}

/* Bytes of a new piece there is room for. */
static u32 space(const struct walk *walk) {
  u32 left = walk->room - walk->used;
  return left > PIECE_WORDS ? (left - PIECE_WORDS) * 8 : 0;
}

static void put(struct walk *walk, u64 address, u32 bytes, u32 node, u32 depth, u32 flags) {
  u32 padded = (bytes + 7) & ~7u;
  walk->words[walk->used] = address;
  /* In one store: it is loaded as one word when the record is written. */
  walk->words[walk->used + 1] =
      bytes | (u64)(u16)node << 32 | (u64)(u8)depth << 48 | (u64)(u8)flags << 56;
  if (bytes % 8) walk->words[walk->used + PIECE_WORDS + bytes / 8] &= (1ul << bytes % 8 * 8) - 1;
  walk->used += PIECE_WORDS + padded / 8;
}

static int take_read(struct walk *walk) {
  if (!walk->reads) {
    walk->flags |= walk->cut;
    return 0;
  }
  walk->reads--;
  return 1;
}

/* Whether a step from there adds pieces of a depth that is wanted now; its `depth`. */
static int reaches(struct walk *walk, const struct step *step, const struct place *place,
                   u32 *depth) {
  *depth = place->depth + !(step->flags & WALK_FLAG_FREE);
  if (*depth > walk->depth_limit) walk->goes_deeper = 1;
  return *depth >= walk->depth_least && *depth <= walk->depth_limit;
}

static u64 smaller(u64 a, u64 b) { return a < b ? a : b; }

/* How many of a container's elements are copied. */
static u64 within(struct walk *walk, const struct step *step, u64 count) {
  u64 wanted = smaller(count, step->b);
  if (wanted > walk->most_elements) walk->flags |= walk->cut;
  return smaller(wanted, walk->most_elements);
}

/* A piece of whole units of `unit` bytes. Returns how many bytes it has. */
static u32 copy(struct walk *walk, u64 address, u64 length, u32 unit, u32 node, u32 depth) {
  u32 most = space(walk), flags = 0;
  if (length > most) {
    flags = STRING_TRUNCATED;
    walk->flags |= walk->cut;
    length = unit > 1 ? most - most % unit : most;
  }
  if (!length || !take_read(walk)) return 0;
  u32 got = (u32)read_quickly(&walk->words[walk->used + PIECE_WORDS], address, length);
  if (got < length) flags |= STRING_UNREADABLE;
  put(walk, address, got, node, depth, flags);
  return got;
}

static void follow(struct walk *walk, const struct step *step, const struct place *place) {
  u64 base = load(place, step->at, 8), address = base + (u64)(long)(int)step->a;
  u32 depth;
  if (!base || !reaches(walk, step, place, &depth)) return;
  if (is_known(walk, address, step->node, step->flags & WALK_FLAG_OUTSIDE)) return;
  u32 size = step->size;
  if (step->flags & WALK_FLAG_PARTLY && size > walk->object_bytes) {
    size = walk->object_bytes;
    walk->flags |= walk->cut;
  }
  copy(walk, address, size, 1, step->node, depth);
}

/* Whether what an address in the place leads to, which a step before this one copied, has a word
 * that tells a type. */
static int is_told(struct walk *walk, const struct step *step, const struct place *place) {
  u64 address = load(place, step->at, 8);
  if (!address) return 0;
  if (walk->teller != address) {
    walk->teller = address;
    walk->told = 0;
    for (u32 at = walk->begin; at < walk->used && !walk->told; at = after_piece(walk, at)) {
      const struct piece *piece = piece_at(walk, at);
      if (piece->address == address && piece->bytes >= step->d + 4)
        walk->told = *(const u32 *)((const u8 *)(piece + 1) + step->d);
    }
  }
  return walk->told == step->c;
}

/* What is followed only when the vtable beside it is the one of a type: where a program lies
 * changes addresses, and not how far the vtable is from its method or type info. */
static int follow_of_type(struct walk *walk, const struct step *step, const struct place *place) {
  u64 object = load(place, step->at, 8), table = 0, method = 0;
  u32 depth;
  if (!object || !reaches(walk, step, place, &depth)) return 0;
  if (!(step->flags & WALK_FLAG_INSIDE)) {
    table = load(place, step->b, 8);
  } else if (walk->object == object) {
    table = walk->table;
  } else {
    if (!take_read(walk) || read_quickly(&table, object + step->b, 8) != 8) table = 0;
    walk->object = object;
    walk->table = 0;
  }
  if (!table) return 0;
  if (walk->table != table) {
    if (!take_read(walk) || read_quickly(&method, table + (u64)(long)(int)step->d, 8) != 8)
      return 0;
    walk->table = table;
    walk->method = method;
  }
  if (table - walk->method != (u64)(long)(int)step->c) return 0;
  follow(walk, step, place);
  return 1;
}

/* Up to the NUL; the bytes are read in one go, and what is behind it given back. */
static void follow_text(struct walk *walk, const struct step *step, const struct place *place) {
  u64 address = load(place, step->at, 8);
  u32 most = space(walk), wanted = walk->text_bytes + 1;
  if (!address || place->depth < walk->depth_least || is_known(walk, address, step->node, 0))
    return;
  if (most < 8) walk->flags |= walk->cut;
  if (most < 8 || !take_read(walk)) return;
  if (wanted > most) wanted = most;
  const u8 *data = (const u8 *)&walk->words[walk->used + PIECE_WORDS];
  u32 got = read_text_quickly((u8 *)data, address, wanted),
      length = text_length((const u64 *)data, got), flags = 0;
  if (length > walk->text_bytes) length = walk->text_bytes;
  if (length == got) flags = got ? STRING_TRUNCATED | STRING_UNREADABLE : STRING_UNREADABLE;
  else if (data[length]) flags = STRING_TRUNCATED;
  if (length == wanted) flags = STRING_TRUNCATED;
  put(walk, address, length, step->node, place->depth, flags);
}

static void copy_span(struct walk *walk, const struct step *step, const struct place *place,
                      u64 address, u64 count) {
  u32 depth;
  if (!address || !count || !reaches(walk, step, place, &depth)) return;
  count = step->size == 1 ? smaller(count, walk->text_bytes) : within(walk, step, count);
  /* Short text lies in the object itself. */
  if (address >= place->address && address + count * step->size <= place->address + place->length &&
      place->address)
    return;
  if (is_known(walk, address, step->node, 0)) return;
  copy(walk, address, count * step->size, step->size, step->node, depth);
}

static void follow_span(struct walk *walk, const struct step *step, const struct place *place) {
  u64 address = load(place, step->at, 8), count = load(place, step->a, step->c ? step->c : 8);
  if (address) address += step->e;
  if (step->flags & WALK_FLAG_BY_END) {
    if (count < address) return;
    count = step->size ? (count - address + step->d) / step->size : 0;
  } else {
    count += step->d;
  }
  copy_span(walk, step, place, address, count);
}

/* Buffer at `at`, index of the first at `a`, number of elements at `c`, room at `d`. */
static void follow_ring(struct walk *walk, const struct step *step, const struct place *place) {
  u64 buffer = load(place, step->at, 8), head = load(place, step->a, 8);
  u64 count = load(place, step->c, 8), capacity = load(place, step->d, 8);
  u32 depth;
  if (count > capacity || head > capacity || !reaches(walk, step, place, &depth)) return;
  count = within(walk, step, count);
  u64 first = smaller(capacity - head, count);
  copy_span(walk, step, place, buffer + head * step->size, first);
  copy_span(walk, step, place, buffer, count - first);
}

/* hashbrown: control bytes at the address at `at`, their number less one at `a`, the elements below
 * them. */
static void follow_table(struct walk *walk, const struct step *step, const struct place *place) {
  u64 control = load(place, step->at, 8), buckets = load(place, step->a, 8) + 1;
  u64 left = load(place, step->c, 8);
  u8 group[GROUP];
  u32 depth;
  if (!control || !left || !reaches(walk, step, place, &depth)) return;
  left = within(walk, step, left);
  for (u64 at = 0; at < buckets && left; at += GROUP) {
    u64 wanted = buckets - at < GROUP ? buckets - at : GROUP;
    if (!take_read(walk) || read_quickly(group, control + at, wanted) != wanted) return;
    for (u64 i = 0; i < wanted && left; i++) {
      if (group[i] & 0x80) continue;
      left--;
      if (!copy(walk, control - (at + i + 1) * step->size, step->size, step->size, step->node,
                depth))
        return;
    }
  }
}

/* Blocks of `d` elements, whose addresses lie from the one at `at` on: number of the first at `a`,
 * how many at `c`. */
static void follow_blocks(struct walk *walk, const struct step *step, const struct place *place) {
  u64 blocks = load(place, step->at, 8), first = load(place, step->a, 8),
      left = load(place, step->c, 8);
  u32 depth;
  if (!blocks || !left || !reaches(walk, step, place, &depth)) return;
  left = within(walk, step, left);
  while (left && step->d) {
    u64 inside = first % step->d, count = step->d - inside < left ? step->d - inside : left,
        block = 0;
    if (!take_read(walk) || read_quickly(&block, blocks + first / step->d * 8, 8) != 8 || !block)
      return;
    copy_span(walk, step, place, block + inside * step->size, count);
    first += count;
    left -= count;
  }
}

/* Where a virtual base lies in the place, whose offset from `at` on is written before the vtable.
 */
static int find_base(struct walk *walk, const struct step *step, const struct place *place,
                     struct place *base) {
  u64 table = load(place, step->at, 8), offset = 0;
  if (!table || !take_read(walk) || read_quickly(&offset, table - step->a, 8) != 8) return 0;
  offset += step->at;
  if (offset >= place->length || step->size > place->length - offset) return 0;
  *base = (struct place){place->bytes + offset, place->address + offset, step->size, place->depth};
  return 1;
}

/* Where what was copied first does not lie there any more, what was copied behind it may belong to
 * something else: the lowest bit of the byte at `a` of the copy tells it. */
static void look_again(struct walk *walk, const struct step *step, const struct place *place) {
  u64 now[MOST_AGAIN / 8];
  u32 size = step->size;
  if (!walk->looks_again || size > MOST_AGAIN || (u64)step->at + size > place->length ||
      step->a >= place->length)
    return;
  const u64 *then = (const u64 *)(place->bytes + step->at);
  u32 is_same = read_quickly(now, place->address + step->at, size) == size;
  for (u32 i = 0; i < size / 8; i++) is_same &= now[i] == then[i];
  if (!is_same) ((u8 *)place->bytes)[step->a] |= 1;
}

/* What a secret's place holds is not kept, however little of the object was copied. */
static void blank(const struct walk *walk, const struct step *step, const struct place *place) {
  if (!walk->blanks || step->at >= place->length) return;
  u32 size = (u32)smaller(step->size, place->length - step->at);
  volatile u8 *bytes = (volatile u8 *)place->bytes + step->at;
  for (u32 i = 0; i < size; i++) bytes[i] = 0;
}

static u64 condition(const struct step *step, const struct place *place) {
  u64 value = load(place, step->at, step->size);
  u64 low = (u64)step->b << 32 | step->a, high = (u64)step->d << 32 | step->c;
  u64 holds = value >= low && value <= high;
  return step->flags & WALK_FLAG_NOT ? !holds : holds;
}

static void run(struct walk *walk, u32 node, const struct place *place, u32 nested) {
  for (const struct step *step = &walk->steps[node + 1];; step++) {
    switch (step->kind) {
    case WALK_KIND_FOLLOW: follow(walk, step, place); break;
    case WALK_KIND_TEXT: follow_text(walk, step, place); break;
    case WALK_KIND_SPAN: follow_span(walk, step, place); break;
    case WALK_KIND_RING: follow_ring(walk, step, place); break;
    case WALK_KIND_BLOCKS: follow_blocks(walk, step, place); break;
    case WALK_KIND_TABLE: follow_table(walk, step, place); break;
    case WALK_KIND_EACH:
      for (u32 i = 0; i < step->a && nested < MOST_NESTED; i++) {
        u64 at = step->at + (u64)i * step->size;
        if (at + step->size > place->length) break;
        struct place inner = {place->bytes + at, place->address + at, step->size, place->depth};
        run(walk, step->node, &inner, nested + 1);
      }
      break;
    case WALK_KIND_BASE: {
      struct place base;
      if (nested < MOST_NESTED && find_base(walk, step, place, &base))
        run(walk, step->node, &base, nested + 1);
      break;
    }
    case WALK_KIND_OF_TYPE:
      if (follow_of_type(walk, step, place)) step += step->e;
      break;
    case WALK_KIND_TOLD:
      if (!is_told(walk, step, place)) step += step->e;
      break;
    case WALK_KIND_AGAIN: look_again(walk, step, place); break;
    case WALK_KIND_BLANK: blank(walk, step, place); break;
    case WALK_KIND_WHEN:
      if (!condition(step, place)) step += step->e;
      break;
    default: return;
    }
  }
}

static int leads_nowhere(const struct step *node) {
  return node[1].kind == WALK_KIND_END || node[1].kind == WALK_KIND_HEAD;
}

static void run_piece(struct walk *walk, u32 at) {
  const struct piece *piece = piece_at(walk, at);
  u32 size = walk->steps[piece->node].size, length = piece->bytes;
  u16 node = piece->node;
  /* Text, and elements that lead nowhere. */
  if (!size || leads_nowhere(&walk->steps[node])) return;
  for (u32 from = 0; from < length; from += size) {
    u32 whole = length - from < size ? length - from : size;
    struct place place = {(const u8 *)(piece + 1) + from, piece->address + from, whole,
                          piece->depth};
    run(walk, node, &place, 0);
  }
}

/* What had no room is looked for no further. */
static int is_full(const struct walk *walk) {
  return walk->flags & walk->cut && (!walk->reads || !space(walk));
}

static void run_pieces(struct walk *walk) {
  for (u32 at = walk->begin; at < walk->used && !is_full(walk); at = after_piece(walk, at))
    run_piece(walk, at);
}

static void go_deeper(struct walk *walk, const struct step *head) {
  walk->depth_least = head->c + 1;
  walk->depth_limit = head->a;
  walk->reads = (u32)smaller(walk->reads, head->d);
  walk->room = (u32)smaller(walk->room, walk->used + head->e);
  walk->object_bytes = FAR_OBJECT_BYTES;
  walk->text_bytes = (u32)smaller(walk->text_bytes, FAR_TEXT_BYTES);
  walk->most_elements = FAR_ELEMENTS;
  walk->cut = STRING_DEEPER_CUT;
  run_pieces(walk);
}

/* When all is copied: nothing is added any more. What lies in registers has no address, and is
 * nobody else's. */
static void look_at_all_again(struct walk *walk) {
  walk->depth_least = ~0u;
  walk->looks_again = 1;
  for (u32 at = walk->begin; at < walk->used; at = after_piece(walk, at))
    if (piece_at(walk, at)->address) run_piece(walk, at);
}

/* When all is copied and compared. */
static void blank_all(struct walk *walk) {
  walk->depth_least = ~0u;
  walk->looks_again = 0;
  walk->blanks = 1;
  for (u32 at = walk->begin; at < walk->used; at = after_piece(walk, at)) run_piece(walk, at);
}

int walk_reads(u32 program) {
  return program < RECORD_MAX_STEPS && !leads_nowhere(&steps[program]);
}

/* Of an address of an object that leads nowhere: the same pieces, without the queue. */
static int is_plain_pointer(const struct step *program, u32 bytes) {
  const struct step *to = program + 1;
  return bytes == 8 && to->kind == WALK_KIND_FOLLOW && program->a && leads_nowhere(to) && !to->at &&
         !(to->flags & WALK_FLAG_FREE) && leads_nowhere(program + to->node);
}

/* Returns 0 where that cannot be read as a whole. */
static u32 walk_plain_pointer(u64 *words, u32 used, const struct step *program, u64 pointer) {
  const struct step *to = program + 1;
  u64 address = pointer + (u64)(long)(int)to->a, *data = words + used + 1;
  u32 size = to->size, count = (size + 7) / 8;
  if (size % 8) data[4 + count] = 0;
  if (pointer && read_quickly(data + 5, address, size) != size) return 0;
  data[0] = 0;
  data[1] = 8;
  data[2] = pointer;
  words[used] = 24;
  if (!pointer) return used + 4;
  data[3] = address;
  data[4] = size | (u64)to->node << 32 | 1ul << 48; /* a depth of 1 */
  words[used] = (5 + count) * 8;
  return used + PLAIN_WORDS + count;
}

u32 walk_value(u64 *words, u32 used, u32 room, u32 program, const u8 *root, u64 address,
               u32 bytes) {
  if (used >= room) return used;
  words[used] = 0;
  if (program >= RECORD_MAX_STEPS) return used + 1;
  if (root && is_plain_pointer(&steps[program], bytes) &&
      room - used >= PLAIN_WORDS + (steps[program + 1].size + 7) / 8) {
    u32 end = walk_plain_pointer(words, used, &steps[program], *(const u64 *)root);
    if (end) return end;
  }
  const struct step *head = &steps[program];
  struct walk walk = {.words = words,
                      .begin = used + 1,
                      .used = used + 1,
                      .room = room,
                      .steps = head,
                      .reads = MOST_READS,
                      .depth_limit = head->c,
                      .object_bytes = ~0u,
                      .text_bytes = head->b,
                      .most_elements = ~0u,
                      .cut = STRING_TRUNCATED};
  if (!root && !address) words[used] = (u64)STRING_IS_NULL << 32;
  if (!root && !address) return used + 1;
  if (space(&walk) < bytes) bytes = space(&walk);
  if (root) {
    copy_words(&words[walk.used + PIECE_WORDS], root, bytes);
    put(&walk, address, bytes, 0, 0, 0);
  } else if (copy(&walk, address, bytes, 1, 0, 0) < bytes) {
    walk.flags |= STRING_UNREADABLE;
  }
  if (!(walk.flags & STRING_UNREADABLE)) run_pieces(&walk);
  if (walk.goes_deeper && head->a > head->c) go_deeper(&walk, head);
  if (head->flags & WALK_FLAG_AGAIN) look_at_all_again(&walk);
  if (head->flags & WALK_FLAG_BLANK) blank_all(&walk);
  words[used] = (walk.used - walk.begin) * 8 | (u64)walk.flags << 32;
  return walk.used;
}
