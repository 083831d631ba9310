/* See walk.h.
 *
 *   value = header (u32 bytes, u32 flags) · piece 0 (the value itself) · piece 1 · …
 *   piece = address u64 · bytes u32 · node u16 · depth u8 · flags u8 · the bytes, zeros up to 8
 *
 * Pieces are a queue: the steps of each piece's node append further ones, until the queue or the
 * room ends. So what is near comes first, cycles end at what is known, and no stack is needed. */
#include "walk.h"

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
  u32 reads; /* that are left */
  u32 depth_limit, text_bytes;
  u32 flags;
  const struct step *steps;
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

static struct step steps[RECORD_MAX_STEPS];

/* Puts `count` steps of the contract's layout at index `first`. Returns 0, or a negative error number. */
EXPORT int engine_set_steps(u32 first, const u8 *table, u32 count) {
  if (count > RECORD_MAX_STEPS || first > RECORD_MAX_STEPS - count) return -ERR_INVALID;
  copy_bytes(&steps[first], table, (u64)count * sizeof *steps);
  return 0;
}

static u64 load(const struct place *place, u32 at, u32 size) {
  u64 value = 0;
  if ((u64)at + size <= place->length && size <= 8) copy_bytes(&value, place->bytes + at, size);
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
  struct piece *piece = piece_at(walk, walk->used);
  u8 *data = (u8 *)(piece + 1);
  u32 padded = (bytes + 7) & ~7u;
  piece->address = address;
  piece->bytes = bytes;
  piece->node = (u16)node;
  piece->depth = (u8)depth;
  piece->flags = (u8)flags;
  for (u32 i = bytes; i < padded; i++) data[i] = 0;
  walk->used += PIECE_WORDS + padded / 8;
}

static int take_read(struct walk *walk) {
  if (!walk->reads) {
    walk->flags |= STRING_TRUNCATED;
    return 0;
  }
  walk->reads--;
  return 1;
}

/* A piece of whole units of `unit` bytes. Returns how many bytes it has. */
static u32 copy(struct walk *walk, u64 address, u64 length, u32 unit, u32 node, u32 depth) {
  u32 most = space(walk), flags = 0;
  if (length > most) {
    flags = STRING_TRUNCATED;
    walk->flags |= STRING_TRUNCATED;
    length = unit > 1 ? most - most % unit : most;
  }
  if (!length || !take_read(walk)) return 0;
  u32 got = (u32)read_safely(&walk->words[walk->used + PIECE_WORDS], address, length);
  if (got < length) flags |= STRING_UNREADABLE;
  put(walk, address, got, node, depth, flags);
  return got;
}

static void follow(struct walk *walk, const struct step *step, const struct place *place) {
  u32 is_free = step->flags & WALK_FLAG_FREE;
  u64 address = load(place, step->at, 8) + step->a;
  if (address == step->a || (!is_free && place->depth >= walk->depth_limit)) return;
  if (is_known(walk, address, step->node, step->flags & WALK_FLAG_OUTSIDE)) return;
  copy(walk, address, step->size, 1, step->node, place->depth + !is_free);
}

/* Up to the NUL; the bytes are read in one go, and what is behind it given back. */
static void follow_text(struct walk *walk, const struct step *step, const struct place *place) {
  u64 address = load(place, step->at, 8);
  u32 most = space(walk), wanted = walk->text_bytes + 1;
  if (!address || is_known(walk, address, step->node, 0)) return;
  if (most < 8) walk->flags |= STRING_TRUNCATED;
  if (most < 8 || !take_read(walk)) return;
  if (wanted > most) wanted = most;
  const u8 *data = (const u8 *)&walk->words[walk->used + PIECE_WORDS];
  u32 got = (u32)read_safely((u8 *)data, address, wanted), length = 0, flags = 0;
  while (length < got && length < walk->text_bytes && data[length]) length++;
  if (length == got) flags = got ? STRING_TRUNCATED | STRING_UNREADABLE : STRING_UNREADABLE;
  else if (data[length]) flags = STRING_TRUNCATED;
  if (length == wanted) flags = STRING_TRUNCATED;
  put(walk, address, length, step->node, place->depth, flags);
}

static void copy_span(struct walk *walk, const struct step *step, const struct place *place, u64 address, u64 count) {
  u32 is_free = step->flags & WALK_FLAG_FREE;
  u64 most = step->size == 1 ? walk->text_bytes : step->b;
  if (!address || !count || (!is_free && place->depth >= walk->depth_limit)) return;
  if (count > most) count = most;
  /* Short text lies in the object itself. */
  if (address >= place->address && address + count * step->size <= place->address + place->length && place->address) return;
  if (is_known(walk, address, step->node, 0)) return;
  copy(walk, address, count * step->size, step->size, step->node, place->depth + !is_free);
}

static void follow_span(struct walk *walk, const struct step *step, const struct place *place) {
  u64 address = load(place, step->at, 8), count = load(place, step->a, step->c ? step->c : 8);
  if (step->flags & WALK_FLAG_BY_END) {
    if (count < address) return;
    count = step->size ? (count - address + step->d) / step->size : 0;
  }
  copy_span(walk, step, place, address, count);
}

/* Buffer at `at`, index of the first at `a`, number of elements at `c`, room at `d`. */
static void follow_ring(struct walk *walk, const struct step *step, const struct place *place) {
  u64 buffer = load(place, step->at, 8), head = load(place, step->a, 8);
  u64 count = load(place, step->c, 8), capacity = load(place, step->d, 8);
  if (count > capacity || head > capacity) return;
  u64 first = capacity - head < count ? capacity - head : count;
  copy_span(walk, step, place, buffer + head * step->size, first);
  if (first < step->b) copy_span(walk, step, place, buffer, count - first);
}

/* hashbrown: control bytes at the address at `at`, their number less one at `a`, the elements below them. */
static void follow_table(struct walk *walk, const struct step *step, const struct place *place) {
  u64 control = load(place, step->at, 8), buckets = load(place, step->a, 8) + 1;
  u64 left = load(place, step->c, 8);
  u8 group[GROUP];
  if (!control || place->depth >= walk->depth_limit) return;
  if (left > step->b) left = step->b;
  for (u64 at = 0; at < buckets && left; at += GROUP) {
    u64 wanted = buckets - at < GROUP ? buckets - at : GROUP;
    if (!take_read(walk) || read_safely(group, control + at, wanted) != wanted) return;
    for (u64 i = 0; i < wanted && left; i++) {
      if (group[i] & 0x80) continue;
      left--;
      if (!copy(walk, control - (at + i + 1) * step->size, step->size, step->size, step->node, place->depth + 1u)) return;
    }
  }
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
      case WALK_KIND_TABLE: follow_table(walk, step, place); break;
      case WALK_KIND_EACH:
        for (u32 i = 0; i < step->a && nested < MOST_NESTED; i++) {
          u64 at = step->at + (u64)i * step->size;
          if (at + step->size > place->length) break;
          struct place inner = {place->bytes + at, place->address + at, step->size, place->depth};
          run(walk, step->node, &inner, nested + 1);
        }
        break;
      case WALK_KIND_WHEN:
        if (!condition(step, place)) step += step->e;
        break;
      default: return;
    }
  }
}

static void run_piece(struct walk *walk, u32 at) {
  const struct piece *piece = piece_at(walk, at);
  u32 size = walk->steps[piece->node].size, length = piece->bytes;
  u16 node = piece->node;
  /* Text, and elements that lead nowhere. */
  if (!size || walk->steps[node + 1].kind == WALK_KIND_END || walk->steps[node + 1].kind == WALK_KIND_HEAD) return;
  for (u32 from = 0; from < length; from += size) {
    u32 whole = length - from < size ? length - from : size;
    struct place place = {(const u8 *)(piece + 1) + from, piece->address + from, whole, piece->depth};
    run(walk, node, &place, 0);
  }
}

u32 walk_value(u64 *words, u32 used, u32 room, u32 program, const u8 *root, u64 address, u32 bytes) {
  if (used >= room) return used;
  u32 *header = (u32 *)&words[used];
  struct walk walk = {words, used + 1, used + 1, room, MOST_READS, 0, 0, 0, 0};
  header[0] = header[1] = 0;
  if (program >= RECORD_MAX_STEPS) return used + 1;
  walk.steps = &steps[program];
  walk.depth_limit = walk.steps->a;
  walk.text_bytes = walk.steps->b;
  if (!root && !address) header[1] = STRING_IS_NULL;
  if (!root && !address) return used + 1;
  if (space(&walk) < bytes) bytes = space(&walk);
  if (root) {
    copy_bytes(&words[walk.used + PIECE_WORDS], root, bytes);
    put(&walk, address, bytes, 0, 0, 0);
  } else if (copy(&walk, address, bytes, 1, 0, 0) < bytes) {
    walk.flags |= STRING_UNREADABLE;
  }
  for (u32 at = walk.begin; at < walk.used && !(walk.flags & STRING_UNREADABLE); at = after_piece(&walk, at))
    run_piece(&walk, at);
  header[0] = (walk.used - walk.begin) * 8;
  header[1] = walk.flags;
  return walk.used;
}
