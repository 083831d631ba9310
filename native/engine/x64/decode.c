/* Instruction lengths by table (Intel SDM vol. 2, appendix A; 64-bit mode only).
 *
 * One letter per opcode:
 *   .  no operand bytes        m  ModRM                b  ModRM, imm8      z  ModRM, imm16/32
 *   1  imm8                    4  imm16/32             v  imm16/32/64      o  memory offset
 *   w  imm16                   e  imm16, imm8          j  rel8             J  rel32
 *   3  ModRM, imm8 if /0 /1    7  ModRM, imm16/32 if /0 /1                 x  invalid */
#include "decode.h"

static const char one_byte[257] = "mmmm14xxmmmm14xx"  /* 00; 0f is an escape */
                                  "mmmm14xxmmmm14xx"  /* 10 */
                                  "mmmm14xxmmmm14xx"  /* 20; 26 2e 36 3e are prefixes */
                                  "mmmm14xxmmmm14xx"  /* 30 */
                                  "xxxxxxxxxxxxxxxx"  /* 40; REX */
                                  "................"  /* 50 */
                                  "xxxmxxxx4z1b...."  /* 60; 62 EVEX, 64 to 67 prefixes */
                                  "jjjjjjjjjjjjjjjj"  /* 70 */
                                  "bzxbmmmmmmmmmmmm"  /* 80 */
                                  "..........x....."  /* 90 */
                                  "oooo....14......"  /* a0 */
                                  "11111111vvvvvvvv"  /* b0 */
                                  "bbw.xxbze.w..1x."  /* c0; c4 c5 VEX */
                                  "mmmmxxx.mmmmmmmm"  /* d0 */
                                  "jjjj1111JJxj...."  /* e0 */
                                  "x.xx..37......mm"; /* f0; f0 f2 f3 prefixes */

static const char two_bytes[257] = "mmmmx.....x.xm.b"  /* 00 */
                                   "mmmmmmmmmmmmmmmm"  /* 10 */
                                   "mmmmxxxxmmmmmmmm"  /* 20 */
                                   "......x.xxxxxxxx"  /* 30; 38 3a escapes */
                                   "mmmmmmmmmmmmmmmm"  /* 40 */
                                   "mmmmmmmmmmmmmmmm"  /* 50 */
                                   "mmmmmmmmmmmmmmmm"  /* 60 */
                                   "bbbbmmm.mmxxmmmm"  /* 70 */
                                   "JJJJJJJJJJJJJJJJ"  /* 80 */
                                   "mmmmmmmmmmmmmmmm"  /* 90 */
                                   "...mbmxx...mbmmm"  /* a0 */
                                   "mmmmmmmmmmbmmmmm"  /* b0 */
                                   "mmbmbbbm........"  /* c0 */
                                   "mmmmmmmmmmmmmmmm"  /* d0 */
                                   "mmmmmmmmmmmmmmmm"  /* e0 */
                                   "mmmmmmmmmmmmmmmm"; /* f0 */

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

struct reader {
  const u8 *code;
  u64 room;
  u32 at;
  int short_operand, short_address, wide;
  u8 repeat; /* f2 or f3 */
};

static int peek(const struct reader *r, u32 ahead) {
  return r->at + ahead < r->room && r->at + ahead < 15 ? r->code[r->at + ahead] : -1;
}

static int take(struct reader *r) {
  int byte = peek(r, 0);
  r->at++;
  return byte;
}

static void read_prefixes(struct reader *r) {
  for (;;) {
    int byte = peek(r, 0);
    if (byte == 0x66) r->short_operand = 1;
    else if (byte == 0x67) r->short_address = 1;
    else if (byte == 0xf2 || byte == 0xf3) r->repeat = (u8)byte;
    else if (byte != 0xf0 && byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 &&
             byte != 0x64 && byte != 0x65)
      break;
    r->at++;
  }
  int byte = peek(r, 0);
  if (byte >= 0x40 && byte <= 0x4f) {
    r->wide = byte >> 3 & 1;
    r->at++;
  }
}

/* ModRM, SIB and displacement. Returns the ModRM byte, or -1. */
static int read_modrm(struct reader *r, struct instruction *out) {
  out->modrm = (u8)r->at;
  int modrm = take(r);
  if (modrm < 0) return -1;
  int mode = modrm >> 6, rm = modrm & 7;
  if (mode == 3) return modrm;
  int base = rm;
  if (rm == 4) {
    int sib = take(r);
    if (sib < 0) return -1;
    base = sib & 7;
  }
  if (mode == 0 && rm == 5) out->rip_offset = (u8)r->at;
  if (mode == 1) r->at += 1;
  else if (mode == 2 || (mode == 0 && base == 5)) r->at += 4;
  return modrm;
}

static int read_relative(struct reader *r, u32 bytes, u64 address, struct instruction *out) {
  if (r->at + bytes > r->room) return 0;
  const u8 *p = r->code + r->at;
  r->at += bytes;
  long distance = bytes == 1
                      ? (signed char)p[0]
                      : (int)((u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24);
  out->target = address + r->at + (u64)distance;
  return 1;
}

/* VEX, EVEX and XOP: the prefix says the map; only two maps have immediates. */
static int read_vector(struct reader *r, int first, struct instruction *out) {
  int map, opcode;
  if (first == 0xc5) {
    map = 1;
    r->at += 1;
  } else {
    int second = take(r);
    if (second < 0) return 0;
    map = first == 0x62 ? second & 7 : second & 0x1f;
    r->at += first == 0x62 ? 2 : 1;
  }
  opcode = take(r);
  if (opcode < 0) return 0;
  if (first == 0xc5 || (first == 0xc4 && map == 1)) {
    if (opcode == 0x77) return 1;
  }
  if (read_modrm(r, out) < 0) return 0;
  if (first == 0x8f) {
    if (map == 8) r->at += 1;
    else if (map == 10) r->at += 4;
    return map >= 8 && map <= 10;
  }
  if (map == 3 || (map == 1 && two_bytes[opcode] == 'b')) r->at += 1;
  return first == 0x62 ? map != 0 && map != 4 : map >= 1 && map <= 3;
}

static int read_operands(struct reader *r, char form, u64 address, struct instruction *out,
                         int *modrm) {
  u32 full = r->short_operand && !r->wide ? 2 : 4;
  switch (form) {
  case '.': return 1;
  case '1': r->at += 1; return 1;
  case '4': r->at += full; return 1;
  case 'v': r->at += r->wide ? 8 : full; return 1;
  case 'o': r->at += r->short_address ? 4 : 8; return 1;
  case 'w': r->at += 2; return 1;
  case 'e': r->at += 3; return 1;
  case 'j': return read_relative(r, 1, address, out);
  case 'J': return read_relative(r, 4, address, out);
  case 'x': return 0;
  }
  *modrm = read_modrm(r, out);
  if (*modrm < 0) return 0;
  int has_test_immediate = (*modrm >> 3 & 7) < 2;
  if (form == 'b' || (form == '3' && has_test_immediate)) r->at += 1;
  if (form == 'z' || (form == '7' && has_test_immediate)) r->at += full;
  return 1;
}

static void classify_one(const struct reader *r, int opcode, int modrm, struct instruction *out) {
  if (opcode >= 0x70 && opcode <= 0x7f) {
    out->flow = FLOW_BRANCH;
    out->condition = opcode & 15;
  } else if (opcode >= 0xe0 && opcode <= 0xe3) out->flow = FLOW_LOOP;
  else if (opcode == 0xe8) out->flow = FLOW_CALL;
  else if (opcode == 0xe9 || opcode == 0xeb) out->flow = FLOW_JUMP;
  else if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xca || opcode == 0xcb || opcode == 0xcf ||
           opcode == 0xf4 || opcode == 0xcc)
    out->flow = FLOW_END;
  else if (opcode == 0xcd || opcode == 0xf1) out->flow = FLOW_SYSTEM;
  else if (opcode == 0xc7 && modrm == 0xf8) out->flow = FLOW_LOOP;
  else if (opcode == 0xff) {
    int group = modrm >> 3 & 7;
    if (group == 2 || group == 3) out->flow = FLOW_CALL_INDIRECT;
    else if (group == 4 || group == 5) out->flow = FLOW_END;
  }
  out->is_padding = opcode == 0x90 && r->repeat != 0xf3;
}

static void classify_two(const struct reader *r, int opcode, struct instruction *out) {
  if (opcode >= 0x80 && opcode <= 0x8f) {
    out->flow = FLOW_BRANCH;
    out->condition = opcode & 15;
  } else if (opcode == 0x05 || opcode == 0x34 || opcode == 0x07 || opcode == 0x35)
    out->flow = FLOW_SYSTEM;
  else if (opcode == 0x0b || opcode == 0xff || opcode == 0xb9) out->flow = FLOW_END;
  out->is_padding = opcode == 0x1f && !r->repeat;
}

int decode(const u8 *code, u64 room, u64 address, struct instruction *out) {
  struct reader r = {code, room, 0, 0, 0, 0, 0};
  struct instruction clean = {0};
  *out = clean;
  read_prefixes(&r);
  out->opcode = (u8)r.at;
  int opcode = take(&r), modrm = 0, valid;
  if (opcode < 0) return 0;
  if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
    valid = read_vector(&r, opcode, out);
  } else if (opcode == 0x8f && peek(&r, 0) >= 0 && (peek(&r, 0) & 0x1f) >= 8) {
    valid = read_vector(&r, opcode, out);
  } else if (opcode == 0x0f) {
    opcode = take(&r);
    if (opcode < 0) return 0;
    if (opcode == 0x38 || opcode == 0x3a) {
      int has_immediate = opcode == 0x3a;
      valid = take(&r) >= 0 && read_modrm(&r, out) >= 0;
      if (has_immediate) r.at += 1;
    } else {
      valid = read_operands(&r, two_bytes[opcode], address, out, &modrm);
      classify_two(&r, opcode, out);
    }
  } else {
    valid = read_operands(&r, one_byte[opcode], address, out, &modrm);
    classify_one(&r, opcode, modrm, out);
  }
  if (!valid || r.at > room || r.at > 15) return 0;
  if (modrm == 0xf8 && opcode == 0xc7 && out->flow == FLOW_LOOP) { /* xbegin rel32 */
    r.at -= 4;
    if (!read_relative(&r, 4, address, out)) return 0;
  }
  out->length = (u8)r.at;
  if (code[0] == 0xcc) out->is_breakpoint = !(room > 2 && code[1] == 0x0f && code[2] == 0x0b);
  return 1;
}
