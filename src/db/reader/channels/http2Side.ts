import hpack from 'hpack.js';

/** What becomes known of the streams of a connection. */
export interface Http2Listener {
  /** Names and values in turn; `isLast`: nothing follows in this direction. */
  fields(stream: number, fields: readonly string[], isLast: boolean): void;
  body(stream: number, bytes: number, known: Buffer): void;
  last(stream: number): void;
  reset(stream: number, code: number): void;
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of its payload that have not come. */
  left: number;
}

/** RFC 9113, section 6. */
const types = { data: 0, headers: 1, reset: 3, settings: 4, promise: 5, continuation: 9 };
const flags = { endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 };
const HEADER = 9;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** More than any program lets its peer keep. */
const MOST_TABLE = 16_777_216;
/** Larger ones are refused by those who get them. */
const MOST_BLOCK = 1_048_576;

/** One direction of an HTTP/2 connection from its beginning on. */
export class Http2Side {
  readonly #listener: Http2Listener;
  readonly #fields = hpack.decompressor.create({ table: { maxSize: MOST_TABLE } });
  #input: Buffer = Buffer.alloc(0);
  #frame: Frame | null = null;
  #block: Buffer[] = [];
  #isLast = false;
  #isAtStart = true;
  /** Headers refer to earlier ones: nothing after a gap is known. */
  #isLost = false;

  constructor(listener: Http2Listener) {
    this.#listener = listener;
  }

  /** Takes the known beginning of `total` bytes; answers how many of them were not understood. */
  take(known: Buffer, total: number): number {
    if (this.#isLost) return total;
    this.#input = this.#input.length === 0 ? known : Buffer.concat([this.#input, known]);
    try {
      this.#skipPreface();
      while (this.#step());
    } catch {
      this.#isLost = true; // A damaged block of headers, which hpack.js throws for.
      return total;
    }
    const missing = total - known.length;
    if (missing <= 0) return 0;
    if (this.#skip(missing)) return 0;
    this.#isLost = true;
    return missing;
  }

  #skipPreface(): void {
    if (!this.#isAtStart) return;
    this.#isAtStart = false;
    if (this.#input.toString('latin1', 0, PREFACE.length) === PREFACE)
      this.#input = this.#input.subarray(PREFACE.length);
  }

  /** One frame, or a part of one. False: more bytes are needed. */
  #step(): boolean {
    const frame = (this.#frame ??= this.#begin());
    if (frame === null) return false;
    if (isOfHeaders(frame) || frame.type === types.reset) {
      if (this.#input.length < frame.left) return false;
      const payload = this.#cut(frame.left);
      this.#frame = null;
      this.#whole(frame, payload);
      return true;
    }
    const part = this.#cut(Math.min(frame.left, this.#input.length));
    frame.left -= part.length;
    if (frame.type === types.data && part.length > 0)
      this.#listener.body(frame.stream, part.length, part);
    return this.#end(frame);
  }

  #end(frame: Frame): boolean {
    if (frame.left > 0) return false;
    this.#frame = null;
    if (frame.type === types.data && (frame.flags & flags.endStream) !== 0)
      this.#listener.last(frame.stream);
    return true;
  }

  #begin(): Frame | null {
    if (this.#input.length < HEADER) return null;
    const head = this.#cut(HEADER);
    return {
      left: head.readUIntBE(0, 3),
      type: head.readUInt8(3),
      flags: head.readUInt8(4),
      stream: head.readUInt32BE(5) & 0x7fffffff,
    };
  }

  /** Bytes that were not captured, where they are the rest of a body. */
  #skip(missing: number): boolean {
    const frame = this.#frame;
    if (frame === null || isOfHeaders(frame) || frame.left < missing) return false;
    frame.left -= missing;
    if (frame.type === types.data) this.#listener.body(frame.stream, missing, Buffer.alloc(0));
    this.#end(frame);
    return true;
  }

  #whole({ type, flags: set, stream }: Frame, payload: Buffer): void {
    if (type === types.reset) {
      this.#listener.reset(stream, payload.readUInt32BE(0));
      return;
    }
    const isPadded = type !== types.continuation && (set & flags.padded) !== 0;
    const from = isPadded ? 1 : 0;
    const skipped =
      type === types.promise ? 4 : type === types.headers && (set & flags.priority) !== 0 ? 5 : 0;
    const to = payload.length - (isPadded ? payload.readUInt8(0) : 0);
    if (type === types.headers) this.#isLast = (set & flags.endStream) !== 0;
    this.#block.push(payload.subarray(from + skipped, to));
    if ((set & flags.endHeaders) === 0) return;
    const block = Buffer.concat(this.#block);
    this.#block = [];
    const fields = this.#decoded(block);
    if (type !== types.promise) this.#listener.fields(stream, fields, this.#isLast);
  }

  #decoded(block: Buffer): string[] {
    if (block.length > MOST_BLOCK) throw new RangeError('a block of headers without end');
    this.#fields.write(block);
    this.#fields.execute();
    const fields: string[] = [];
    for (let field; (field = this.#fields.read()) !== null;) fields.push(field.name, field.value);
    return fields;
  }

  #cut(length: number): Buffer {
    const part = this.#input.subarray(0, length);
    this.#input = this.#input.subarray(length);
    return part;
  }
}

function isOfHeaders({ type }: Frame): boolean {
  return type === types.headers || type === types.promise || type === types.continuation;
}

/** Whether a connection that says this first speaks HTTP/2: a client's preface, or a server's settings. */
export function beginsHttp2(known: Buffer): boolean {
  if (known.toString('latin1', 0, 14) === PREFACE.slice(0, 14)) return true;
  const length = known.length < HEADER ? -1 : known.readUIntBE(0, 3);
  const isSettings = length % 6 === 0 && length <= 600 && known.readUInt8(3) === types.settings;
  return isSettings && known.readUIntBE(4, 5) === 0;
}

/** Whether bytes from the middle of a connection are whole frames of HTTP/2. */
export function areFrames(known: Buffer): boolean {
  let at = 0;
  for (; at + HEADER <= known.length; at += HEADER + known.readUIntBE(at, 3))
    if (known.readUInt8(at + 3) > types.continuation || known.readUInt8(at + 5) > 0x7f)
      return false;
  return known.length >= HEADER && at === known.length;
}
