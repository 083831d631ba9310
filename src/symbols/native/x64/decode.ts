/**
 * Lengths and operands in memory of instructions (Intel SDM volume 2, appendix A; 64-bit mode), for whoever
 * reads all of a function's code.
 *
 * One letter per opcode: `.` no operand bytes, `m` ModRM, `b` ModRM and imm8, `z` ModRM and imm16/32, `1` imm8,
 * `4` imm16/32, `v` imm16/32/64, `o` memory offset, `w` imm16, `e` imm16 and imm8, `j` rel8, `J` rel32, `3` ModRM and imm8
 * if /0 /1, `7` the same with imm16/32, `x` invalid.
 */
const oneByte =
  'mmmm14xxmmmm14xx' +
  'mmmm14xxmmmm14xx' +
  'mmmm14xxmmmm14xx' +
  'mmmm14xxmmmm14xx' +
  'xxxxxxxxxxxxxxxx' +
  '................' +
  'xxxmxxxx4z1b....' +
  'jjjjjjjjjjjjjjjj' +
  'bzxbmmmmmmmmmmmm' +
  '..........x.....' +
  'oooo....14......' +
  '11111111vvvvvvvv' +
  'bbw.xxbze.w..1x.' +
  'mmmmxxx.mmmmmmmm' +
  'jjjj1111JJxj....' +
  'x.xx..37......mm';
const twoBytes =
  'mmmmx.....x.xm.b' +
  'mmmmmmmmmmmmmmmm' +
  'mmmmxxxxmmmmmmmm' +
  '......x.xxxxxxxx' +
  'mmmmmmmmmmmmmmmm' +
  'mmmmmmmmmmmmmmmm' +
  'mmmmmmmmmmmmmmmm' +
  'bbbbmmm.mmxxmmmm' +
  'JJJJJJJJJJJJJJJJ' +
  'mmmmmmmmmmmmmmmm' +
  '...mbmxx...mbmmm' +
  'mmmmmmmmmmbmmmmm' +
  'mmbmbbbm........' +
  'mmmmmmmmmmmmmmmm' +
  'mmmmmmmmmmmmmmmm' +
  'mmmmmmmmmmmmmmmm';

/** No register. */
export const none = -1;
/** Longest instruction. */
const most = 15;

/** Bytes of the immediate, of maps 8 to 10. */
const xopImmediates = [1, 0, 4];
const widths = { vector: 16, wide: 32, widest: 64 } as const;

/** Decodes one instruction after the other; its fields say what the last one is. Registers have the instructions' numbers. */
export class Decoder {
  length = 0;
  /** 0: one byte; 1: 0f; 2: 0f 38; 3: 0f 3a; 4: VEX, EVEX or XOP. */
  map = 0;
  opcode = 0;
  /** -1: it has none. */
  modrm = -1;
  /** Of the operand in memory. */
  hasMemory = false;
  base: number = none;
  index: number = none;
  displacement = 0;
  /** The `reg` operand of ModRM. */
  register: number = none;
  #isWide = false;
  #code: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #rex = 0;
  #isShort = false;
  #hasShortAddress = false;
  #repeat = 0;
  #vectorBytes = 0;

  /** To be called before `decode` with other code. */
  read(code: Uint8Array): void {
    this.#code = code;
    this.#view = new DataView(code.buffer, code.byteOffset, code.length);
  }

  /** False: that is no instruction. */
  decode(at: number): boolean {
    this.#at = at;
    this.map = 0;
    this.modrm = -1;
    this.hasMemory = false;
    this.base = this.index = this.register = none;
    this.displacement = 0;
    this.#vectorBytes = 0;
    this.#readPrefixes();
    const isValid = this.#readRest();
    this.length = this.#at - at;
    return isValid && this.#at <= this.#code.length && this.length <= most;
  }

  /** At most so many bytes of memory are accessed. */
  get memoryBytes(): number {
    const { opcode, map } = this;
    if (map === 4) return this.#vectorBytes;
    if (map === 0) return opcode >= 0xd8 && opcode <= 0xdf ? 10 : 8;
    if (map === 1 && opcode === 0xae) return 512;
    return this.#repeat !== 0 || (map === 1 && isOfWords(opcode)) ? 8 : widths.vector;
  }

  #byte(): number {
    return this.#code[this.#at++] ?? 0;
  }

  #readPrefixes(): void {
    this.#rex = 0;
    this.#isShort = this.#hasShortAddress = false;
    this.#repeat = 0;
    for (;;) {
      const byte = this.#code[this.#at] ?? 0;
      if (byte === 0x66) this.#isShort = true;
      else if (byte === 0x67) this.#hasShortAddress = true;
      else if (byte === 0xf2 || byte === 0xf3) this.#repeat = byte;
      else if (![0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65].includes(byte)) break;
      this.#at++;
    }
    const byte = this.#code[this.#at] ?? 0;
    if (byte >= 0x40 && byte <= 0x4f) {
      this.#rex = byte;
      this.#at++;
    }
    this.#isWide = (this.#rex & 8) !== 0;
  }

  #readRest(): boolean {
    const opcode = this.#byte();
    this.opcode = opcode;
    const next = this.#code[this.#at] ?? 0;
    if (opcode === 0xc4 || opcode === 0xc5 || opcode === 0x62) return this.#readVector(opcode);
    if (opcode === 0x8f && (next & 0x1f) >= 8) return this.#readVector(opcode);
    if (opcode !== 0x0f) {
      return this.#readOperands(oneByte.charCodeAt(opcode));
    }
    this.map = 1;
    this.opcode = this.#byte();
    if (this.opcode === 0x38 || this.opcode === 0x3a) {
      this.map = this.opcode === 0x38 ? 2 : 3;
      this.opcode = this.#byte();
      this.#readModrm();
      if (this.map === 3) this.#at++;
      return true;
    }
    return this.#readOperands(twoBytes.charCodeAt(this.opcode));
  }

  /** The prefix says the map; two maps have immediates. */
  #readVector(first: number): boolean {
    this.map = 4;
    const isEvex = first === 0x62;
    const map = this.#readVectorHead(first);
    this.opcode = this.#byte();
    if (!isEvex && first !== 0x8f && map === 1 && this.opcode === 0x77) return true;
    this.#readModrm();
    // A displacement of one byte is scaled, by what only the instruction's form says.
    if (isEvex && this.hasMemory && this.modrm >> 6 === 1) this.displacement = Number.NaN;
    if (first === 0x8f) {
      this.#at += xopImmediates[map - 8] ?? 0;
      return map >= 8 && map <= 10;
    }
    if (map === 3 || (map === 1 && twoBytes[this.opcode] === 'b')) this.#at++;
    return isEvex ? map !== 0 && map !== 4 : map >= 1 && map <= 3;
  }

  /** Answers the map. */
  #readVectorHead(first: number): number {
    const head = this.#byte();
    // As REX: 4 of the register, 2 of the index, 1 of the base.
    this.#rex = (~head & 0xe0) >> 5;
    if (first === 0xc5) {
      this.#rex &= 4;
      this.#vectorBytes = (head & 4) === 0 ? widths.vector : widths.wide;
      return 1;
    }
    const second = this.#byte();
    this.#vectorBytes = (second & 4) === 0 ? widths.vector : widths.wide;
    if (first !== 0x62) return head & 0x1f;
    this.#at++;
    this.#vectorBytes = widths.widest;
    return head & 7;
  }

  #readOperands(form: number): boolean {
    const full = this.#isShort && !this.#isWide ? 2 : 4;
    switch (form) {
      case 0x2e: // .
        return true;
      case 0x31: // 1
        this.#at += 1;
        return true;
      case 0x34: // 4
        this.#at += full;
        return true;
      case 0x76: // v
        this.#at += this.#isWide ? 8 : full;
        return true;
      case 0x6f: // o
        this.#at += this.#hasShortAddress ? 4 : 8;
        return true;
      case 0x77: // w
        this.#at += 2;
        return true;
      case 0x65: // e
        this.#at += 3;
        return true;
      case 0x6a: // j
        this.#at += 1;
        return true;
      case 0x4a: // J
        this.#at += 4;
        return true;
      case 0x78: // x
        return false;
      default:
    }
    this.#readModrm();
    const hasTestImmediate = ((this.modrm >> 3) & 7) < 2;
    if (form === 0x62 || (form === 0x33 && hasTestImmediate)) this.#at += 1;
    if (form === 0x7a || (form === 0x37 && hasTestImmediate)) this.#at += full;
    return true;
  }

  #readModrm(): void {
    const modrm = this.#byte();
    this.modrm = modrm;
    this.register = ((modrm >> 3) & 7) + ((this.#rex & 4) << 1);
    const mode = modrm >> 6;
    if (mode === 3) return;
    this.hasMemory = true;
    let low = modrm & 7;
    if (low === 4) {
      const scaled = this.#byte();
      const index = ((scaled >> 3) & 7) + ((this.#rex & 2) << 2);
      if (index !== 4) this.index = index;
      low = scaled & 7;
    }
    const isRelative = mode === 0 && (modrm & 7) === 5;
    const hasBase = !(mode === 0 && low === 5);
    if (hasBase) this.base = low + ((this.#rex & 1) << 3);
    const bytes = mode === 1 ? 1 : mode === 2 || !hasBase ? 4 : 0;
    if (bytes > 0 && this.#at + bytes <= this.#code.length && !isRelative)
      this.displacement =
        bytes === 1 ? this.#view.getInt8(this.#at) : this.#view.getInt32(this.#at, true);
    this.#at += bytes;
  }
}

/** Of two bytes, those of the integer registers, but for 0f ae. */
function isOfWords(opcode: number): boolean {
  const row = opcode >> 4;
  return (
    [0x4, 0x9, 0xb].includes(row) || (opcode >= 0xa3 && row === 0xa) || integerOthers.has(opcode)
  );
}

const integerOthers: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc3]);
