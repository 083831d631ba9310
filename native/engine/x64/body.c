/* See ../body.h.
 *
 * Read are the function, the code it jumps to outside of itself (parts that were split off,
 * functions it ends by calling), and, for branches into its first bytes alone, the code around it.
 * How deep the stack is follows from pushes and their kin: compilers leave it the same on every way
 * to a place. */
#include "../body.h"
#include "../record.h"
#include "decode.h"

#define UNKNOWN (-1l)
#define MOST_TARGETS 128
#define MOST_PIECES 8
#define PIECE_BYTES 4096
#define SHORT_REACH 128 /* of two-byte branches */
#define LONGEST 15
#define RBP 5
#define RSP 4

/* A place that is jumped to, and the stack there. */
struct place {
  u64 address;
  long depth; /* bytes pushed since the entry */
};

/* Where rbp keeps the frame, [rbp] is the caller's and [rbp + 8] the return address. */
struct stack {
  long depth, frame_depth;
  long settled; /* the depth at the last branch: that of most of the function */
  u8 has_frame, pushed_rbp;
  u8 has_copy, copy; /* the register that the instruction before made what rbp is */
};

struct reading {
  const struct function_code *function;
  u64 entry_end;      /* of what is replaced */
  struct stack frame; /* of the function, for its parts */
  struct place pieces[MOST_PIECES];
  u32 piece_count;
};

struct walk {
  u64 start, at, end;
  struct stack stack;
  struct place targets[MOST_TARGETS]; /* the latest, by their address */
  u64 farthest;
  u8 is_piece, is_part; /* of the function, in the midst of which it is jumped to */
};

static const u8 *code_at(const struct function_code *function, u64 address, u64 *room) {
  u64 first = function->address - function->before, end = function->address + function->room;
  *room = address >= first && address < end ? end - address : 0;
  return function->bytes + (long)(address - function->address);
}

static long read32(const u8 *p) {
  return (int)((u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24);
}

static int rex_of(const u8 *code, const struct instruction *in) {
  int byte = in->opcode ? code[in->opcode - 1] : 0;
  return (byte & 0xf0) == 0x40 ? byte & 15 : 0;
}

static int is_vector(u8 opcode) { return opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62; }

/* A memory operand at a register and nothing else; answers the register, or -1. */
static int base_of(const u8 *code, const struct instruction *in, long *displacement) {
  if (!in->modrm || is_vector(code[in->opcode])) return -1;
  const u8 *at = code + in->modrm;
  int mode = *at >> 6, base = *at++ & 7, rex = rex_of(code, in);
  if (mode == 3) return -1;
  if (base == 4) {
    int index = (*at >> 3 & 7) | (rex & 2) << 2;
    base = *at++ & 7;
    if (index != 4) return -1;
  }
  if (mode == 0 && base == RBP) return -1;
  *displacement = mode == 0 ? 0 : mode == 1 ? (signed char)*at : read32(at);
  return rex & 1 ? base + 8 : base;
}

/* Looks at no memory, though it names some: nop and prefetch. */
static int is_hint(const u8 *opcode) {
  return opcode[0] == 0x0f && (opcode[1] == 0x0d || (opcode[1] >= 0x18 && opcode[1] <= 0x1f));
}

static int uses_return_address(const struct stack *stack, const u8 *code,
                               const struct instruction *in) {
  const u8 *opcode = code + in->opcode;
  long displacement;
  if (*opcode >= 0x58 && *opcode <= 0x5f) return stack->depth == 0;
  if (is_hint(opcode)) return 0;
  int base = base_of(code, in, &displacement);
  if (stack->has_frame && base == RBP) return displacement == 8;
  if (stack->has_copy && base == stack->copy) return displacement == 8;
  if (stack->has_copy && *opcode == 0x83 && opcode[1] == 0xc0 + stack->copy) /* add */
    return opcode[2] == 8;
  /* Its address may be the end of what lies below it. */
  return base == RSP && *opcode != 0x8d && stack->depth != UNKNOWN && displacement == stack->depth;
}

static long frame_less(const struct stack *stack, long bytes) {
  return stack->has_frame && stack->frame_depth != UNKNOWN ? stack->frame_depth - bytes : UNKNOWN;
}

/* mov, lea and arithmetic with rsp or rbp. */
static void follow_moves(struct stack *stack, const u8 *code, const struct instruction *in) {
  const u8 *opcode = code + in->opcode, *modrm = code + in->modrm;
  int rex = rex_of(code, in), is_register = *modrm >> 6 == 3;
  int rm = (*modrm & 7) | (rex & 1) << 3, reg = (*modrm >> 3 & 7) | (rex & 4) << 1;
  long displacement = 0;
  if (*opcode == 0x8d && reg == RSP) {
    int base = base_of(code, in, &displacement);
    if (base == RSP && stack->depth != UNKNOWN) stack->depth -= displacement;
    else stack->depth = base == RBP ? frame_less(stack, displacement) : UNKNOWN;
  } else if (is_register && (*opcode == 0x89 || *opcode == 0x8b)) {
    int to = *opcode == 0x89 ? rm : reg, from = *opcode == 0x89 ? reg : rm;
    if (to == RBP && from == RSP && stack->pushed_rbp) {
      stack->has_frame = 1;
      stack->frame_depth = stack->depth;
    } else if (from == RBP && to < RSP && stack->has_frame) {
      stack->has_copy = 1;
      stack->copy = (u8)to;
    } else if (to == RSP) stack->depth = from == RBP ? frame_less(stack, 0) : UNKNOWN;
  } else if (is_register && (*opcode == 0x81 || *opcode == 0x83) && rm == RSP) {
    long by = *opcode == 0x81 ? read32(modrm + 1) : (signed char)modrm[1];
    if (stack->depth == UNKNOWN || reg % 8 == 7) return;
    if (reg % 8 == 5) stack->depth += by;
    else if (reg % 8 == 0) stack->depth -= by;
    else stack->depth = UNKNOWN;
  } else if (is_register && *opcode < 0x38 && (*opcode & 7) < 4 &&
             ((*opcode & 2 ? reg : rm) == RSP))
    stack->depth = UNKNOWN;
}

static void follow(struct stack *stack, const u8 *code, const struct instruction *in) {
  u8 opcode = code[in->opcode];
  int kind = in->modrm ? code[in->modrm] >> 3 & 7 : 0;
  long by = 0, before = stack->depth;
  stack->has_copy = 0;
  if (opcode == 0x0f || is_vector(opcode)) return;
  if ((opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c ||
      (opcode == 0xff && kind == 6))
    by = 8;
  else if ((opcode >= 0x58 && opcode <= 0x5f) || opcode == 0x9d || (opcode == 0x8f && kind == 0))
    by = -8;
  else if (opcode == 0xc9) stack->depth = frame_less(stack, 8);
  else if (opcode == 0xc8) stack->depth = UNKNOWN;
  else if (in->modrm) follow_moves(stack, code, in);
  if (stack->depth != UNKNOWN) stack->depth += by;
  if (stack->depth < UNKNOWN) stack->depth = UNKNOWN;
  if (in->flow == FLOW_BRANCH || (in->flow == FLOW_CALL && !stack->settled))
    stack->settled = stack->depth;
  if (by || stack->depth != before) stack->pushed_rbp = opcode == 0x55 && !(rex_of(code, in) & 1);
}

static int is_own(const struct function_code *function, u64 address) {
  return address >= function->address && address < function->address + function->size;
}

/* The word of the linker's that a jump or call leads through, from its own bytes or those of a
 * stub; 0: none. */
static u64 word_behind(const struct function_code *function, const u8 *code,
                       const struct instruction *in, u64 address) {
  u64 room, at = in->target;
  if (in->rip_offset) return address + in->length + (u64)read32(code + in->rip_offset);
  if (!at) return 0;
  const u8 *stub = code_at(function, at, &room);
  struct instruction one;
  while (decode(stub, room, at, &one) && one.length <= room) {
    int is_marker =
        stub[one.opcode] == 0x0f && one.flow == FLOW_NEXT && one.length == 4; /* endbr64 */
    if (one.flow == FLOW_END && one.rip_offset)
      return at + one.length + (u64)read32(stub + one.rip_offset);
    if (!is_marker || at != in->target) return 0;
    at += one.length;
    stub += one.length;
    room -= one.length;
  }
  return 0;
}

/* Whether a function is called, or jumped to, that looks at its caller. */
static int looks_at_caller(const struct function_code *function, const u8 *code,
                           const struct instruction *in, u64 address) {
  int is_call = in->flow == FLOW_CALL || in->flow == FLOW_CALL_INDIRECT;
  int is_end = in->flow == FLOW_JUMP || (in->flow == FLOW_END && in->rip_offset);
  if (!function->looks_of || !(is_end || is_call)) return 0;
  if (!in->rip_offset && is_own(function, in->target)) return 0;
  u64 word = word_behind(function, code, in, address);
  enum looks looks = word ? function->looks_of(word) : LOOKS_AT_NONE;
  return looks == LOOKS_FURTHER || (looks == LOOKS_AT_CALLER && is_end);
}

static int is_jump(const struct instruction *in) {
  return in->flow == FLOW_JUMP || in->flow == FLOW_BRANCH || in->flow == FLOW_LOOP;
}

static void add_piece(struct reading *reading, u64 address, long depth) {
  for (u32 i = 0; i < reading->piece_count; i++)
    if (reading->pieces[i].address == address) return;
  if (reading->piece_count < MOST_PIECES)
    reading->pieces[reading->piece_count++] = (struct place){address, depth};
}

static struct place *target_at(struct walk *walk, u64 address) {
  return &walk->targets[address % MOST_TARGETS];
}

/* A jump to somewhere else in what is read, or out of it. In a piece, whose end is not known, one
 * with nothing on the stack is its end. */
static void note_target(struct reading *reading, struct walk *walk, const struct instruction *in) {
  u64 target = in->target;
  long depth = walk->stack.depth;
  int goes_out = walk->is_piece && in->flow == FLOW_JUMP && depth == 0;
  if (!goes_out && target >= walk->start && target < walk->end) {
    *target_at(walk, target) = (struct place){target, depth};
    if (target > walk->farthest) walk->farthest = target;
  } else if (!is_own(reading->function, target)) add_piece(reading, target, depth);
}

static u32 check_one(struct reading *reading, struct walk *walk, const u8 *code,
                     const struct instruction *in) {
  const struct function_code *function = reading->function;
  u64 first = walk->is_piece ? function->address + 1 : function->address;
  u8 opcode = code[in->opcode];
  if (in->target >= first && in->target < reading->entry_end &&
      (is_jump(in) || (in->flow == FLOW_CALL && in->target != function->address)))
    return VERDICT_BRANCH_INTO_PROLOGUE;
  if (uses_return_address(&walk->stack, code, in)) return VERDICT_RETURN_ADDRESS;
  if (looks_at_caller(function, code, in, walk->at)) return VERDICT_RETURN_ADDRESS;
  /* Its caller's stack is not as C leaves it: ret with a number, far returns. */
  int is_far = opcode == 0xca || opcode == 0xcb || opcode == 0xcf;
  if (in->flow == FLOW_END && in->opcode + 1 < in->length && opcode == 0xc2)
    is_far = code[in->opcode + 1] || code[in->opcode + 2];
  return in->flow == FLOW_END && is_far ? VERDICT_CONVENTION : VERDICT_HOOKED;
}

/* The end of a piece is not known. A call that never returns may be its last instruction: behind
 * one, another function's may follow, with another stack. */
static int ends_piece(struct walk *walk, const struct instruction *in) {
  int is_call = in->flow == FLOW_CALL || in->flow == FLOW_CALL_INDIRECT;
  if (is_call && walk->is_part) walk->stack = (struct stack){.depth = UNKNOWN, .settled = UNKNOWN};
  int is_end = in->flow == FLOW_JUMP || in->flow == FLOW_END || in->is_padding;
  return is_end && walk->at > walk->farthest;
}

/* int3 is an instruction like others where the file has it. */
static int is_of_debugger(const struct function_code *function, u64 at,
                          const struct instruction *in) {
  return in->is_breakpoint && !(function->is_of_file && function->is_of_file(at, 0xcc));
}

/* Reads to the end of what is there. */
static u32 read_all(struct reading *reading, struct walk *walk) {
  for (walk->at = walk->start; walk->at < walk->end;) {
    u64 room;
    struct instruction in;
    u8 copy[LONGEST_READ];
    const u8 *code = code_at(reading->function, walk->at, &room);
    code = without_plant(reading->function, code, room, walk->at, copy);
    const struct place *known = target_at(walk, walk->at);
    int is_one = decode(code, room, walk->at, &in);
    if (!is_one || is_of_debugger(reading->function, walk->at, &in))
      return walk->is_piece ? VERDICT_HOOKED : is_one ? VERDICT_BREAKPOINT : VERDICT_UNDECODABLE;
    if (known->address == walk->at) walk->stack.depth = known->depth;
    u32 verdict = check_one(reading, walk, code, &in);
    if (verdict != VERDICT_HOOKED) return verdict;
    if (is_jump(&in)) note_target(reading, walk, &in);
    follow(&walk->stack, code, &in);
    walk->at += in.length;
    if (walk->is_piece && ends_piece(walk, &in)) break;
    int is_end = in.flow == FLOW_JUMP || in.flow == FLOW_END;
    if (is_end && walk->stack.depth == 0) walk->stack.depth = walk->stack.settled;
  }
  return VERDICT_HOOKED;
}

static u32 read_piece(struct reading *reading, const struct place *piece) {
  struct walk walk = {.start = piece->address, .end = piece->address + PIECE_BYTES, .is_piece = 1};
  if (piece->depth) walk.stack = reading->frame;
  walk.is_part = piece->depth != 0;
  walk.stack.depth = walk.stack.settled = piece->depth;
  return read_all(reading, &walk);
}

/* Whether code from `from` to `to` branches into the first bytes. Where its instructions begin is
 * not known: a reading falls into step with them after a few. */
static int branches_into(const struct reading *reading, u64 from, u64 to) {
  const struct function_code *function = reading->function;
  while (from < to) {
    u64 room;
    struct instruction in;
    const u8 *code = code_at(function, from, &room);
    int is_one = decode(code, room, from, &in);
    if (is_one && is_jump(&in) && in.target > function->address && in.target < reading->entry_end)
      return 1;
    from += is_one ? in.length : 1;
  }
  return 0;
}

#define REGISTER(number) (1u << (number))
/* What no caller passes anything in by C's convention: rax, and what a function keeps. rax tells a
 * function of varying arguments how many are in vectors; nothing is found by it. */
#define NOT_PASSED                                                                          \
  (REGISTER(0) | REGISTER(3) | REGISTER(RBP) | REGISTER(12) | REGISTER(13) | REGISTER(14) | \
   REGISTER(15))

/* Registers that an instruction may change, or more. */
static u32 changed_by(const u8 *code, const struct instruction *in) {
  const u8 *opcode = code + in->opcode, *modrm = code + in->modrm;
  int rex = rex_of(code, in);
  if (*opcode == 0x0f || is_vector(*opcode) || !in->modrm) {
    if (*opcode >= 0x50 && *opcode <= 0x57) return 0;
    return *opcode == 0x0f && is_hint(opcode) ? 0 : ~0u;
  }
  u32 reg = REGISTER((*modrm >> 3 & 7) | (rex & 4) << 1);
  return *modrm >> 6 == 3 ? reg | REGISTER((*modrm & 7) | (rex & 1) << 3) : reg;
}

/* Registers that the place in memory which an instruction names is found by. */
static u32 found_by(const u8 *code, const struct instruction *in) {
  const u8 *opcode = code + in->opcode, *modrm = code + in->modrm;
  if (!in->modrm || is_vector(*opcode) || is_hint(opcode) || *modrm >> 6 == 3) return 0;
  int rex = rex_of(code, in), mode = *modrm >> 6, base = *modrm & 7;
  u32 registers = 0;
  if (base == 4) {
    int index = (modrm[1] >> 3 & 7) | (rex & 2) << 2;
    if (index != 4) registers = REGISTER(index);
    base = modrm[1] & 7;
  }
  if (mode != 0 || base != RBP) registers |= REGISTER(base | (rex & 1) << 3);
  return registers;
}

/* Whether its first instructions look for something by a register that it has not set, and by which
 * C's convention passes nothing: other languages keep there what they always need. */
static int is_entered_otherwise(const struct function_code *function) {
  u32 unset = NOT_PASSED;
  u64 size = function->size < function->room ? function->size : function->room;
  for (u64 at = 0; at < size && unset;) {
    struct instruction in;
    const u8 *code = function->bytes + at;
    if (!decode(code, function->room - at, function->address + at, &in)) return 0;
    if (found_by(code, &in) & unset) return 1;
    unset &= ~changed_by(code, &in);
    if (in.flow != FLOW_NEXT) return 0;
    at += in.length;
  }
  return 0;
}

static u32 read_function(const struct function_code *function, struct reading *reading) {
  u64 size = function->size < function->room ? function->size : function->room;
  struct walk walk = {.start = function->address, .end = function->address + size};
  if (is_entered_otherwise(function)) return VERDICT_CONVENTION;
  u32 verdict = read_all(reading, &walk);
  reading->frame = walk.stack;
  for (u32 i = 0; i < reading->piece_count && verdict == VERDICT_HOOKED; i++)
    verdict = read_piece(reading, &reading->pieces[i]);
  return verdict;
}

u32 body_check(const struct function_code *function, u32 replaced) {
  u64 first = function->address, before = SHORT_REACH + LONGEST, end = first + function->size;
  u64 last = first + function->room;
  struct reading reading = {.function = function, .entry_end = first + replaced};
  if (function->size) {
    u32 verdict = read_function(function, &reading);
    if (verdict != VERDICT_HOOKED) return verdict;
  }
  if (before > function->before) before = function->before;
  u64 behind = end + SHORT_REACH < last ? end + SHORT_REACH : last;
  return branches_into(&reading, first - before, first) || branches_into(&reading, end, behind)
             ? VERDICT_BRANCH_INTO_PROLOGUE
             : VERDICT_HOOKED;
}
