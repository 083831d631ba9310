import { blockCalls, blockPayloadBytes } from '../blockFormat.ts';

/** More are copied by `set`, whose view costs as much as copying these one by one. */
const LOOPED_WORDS = 192;

/** Until there are some: of threads that have ended many may be known. */
const noFloats = new Float64Array(0);
const noWords = new Uint32Array(0);
const noBytes = new Uint8Array(0);

/**
 * The calls of one thread that are not in a finished block yet, as growing columns. Row r is
 * call number `first + r`. Captured bytes stay where their batch was copied to; the encoder
 * brings them into row order.
 */
export class CallRows {
  first = 0;
  count = 0;
  start = noFloats;
  /** ns + 1; 0 = none known. */
  duration = noFloats;
  child = noFloats;
  fn = noWords;
  up = noFloats;
  depth = noWords;
  /** End code | return class << 3. */
  end = noBytes;
  /** Of threads with activations or calls that waited: ns it waited; with activations only: the strand it belongs to. */
  suspended = noFloats;
  strand = noWords;
  /** Where its captured words begin in `payload`. */
  enterAt = noWords;
  enterBytes = noWords;
  returnAt = noWords;
  returnBytes = noWords;
  /** Captured bytes, four to a word. */
  payload = noWords;
  payloadUsed = 0;

  get isFull(): boolean {
    return this.count >= blockCalls || this.payloadUsed >= blockPayloadBytes / 4;
  }

  /** The new row's number. */
  add(fn: number, start: number, up: number, depth: number): number {
    const row = this.count;
    if (row === this.fn.length) this.#grow();
    this.count = row + 1;
    this.fn[row] = fn;
    this.start[row] = start;
    this.duration[row] = 0;
    this.child[row] = 0;
    this.up[row] = up;
    this.depth[row] = depth;
    this.end[row] = 0;
    this.enterBytes[row] = 0;
    this.returnBytes[row] = 0;
    if (row < this.suspended.length) this.suspended[row] = 0;
    if (row < this.strand.length) this.strand[row] = 0;
    return row;
  }

  /** What only rows of activations have, of a row that was added. */
  addActivation(row: number, strand: number): void {
    if (this.strand.length < this.fn.length) {
      this.suspended = widerFloat(this.suspended, this.fn.length);
      this.strand = widerInt(this.strand, this.fn.length);
    }
    this.suspended[row] = 0;
    this.strand[row] = strand;
  }

  /** `ns`: above 0. */
  setSuspended(row: number, ns: number): void {
    if (this.suspended.length < this.fn.length)
      this.suspended = widerFloat(this.suspended, this.fn.length);
    this.suspended[row] = ns;
  }

  /** Copies words [from, to) to the end of the payload and returns where they begin. */
  keep(words: Uint32Array, from: number, to: number): number {
    const at = this.payloadUsed;
    const used = at + (to - from);
    if (used > this.payload.length) {
      this.payload = widerInt(this.payload, Math.max(used, this.payload.length * 2, 256));
    }
    const { payload } = this;
    if (to - from <= LOOPED_WORDS)
      for (let i = from, o = at; i < to; i++, o++) payload[o] = words[i] ?? 0;
    else payload.set(words.subarray(from, to), at);
    this.payloadUsed = used;
    return at;
  }

  /** Goes on with the next block. */
  restart(): void {
    this.first += this.count;
    this.count = 0;
    this.payloadUsed = 0;
  }

  /** Gives the memory back; what was added must have been written. */
  release(): void {
    const first = this.first + this.count;
    Object.assign(this, new CallRows());
    this.first = first;
  }

  #grow(): void {
    const size = Math.max(64, this.fn.length * 2);
    this.start = widerFloat(this.start, size);
    this.duration = widerFloat(this.duration, size);
    this.child = widerFloat(this.child, size);
    this.up = widerFloat(this.up, size);
    this.fn = widerInt(this.fn, size);
    this.depth = widerInt(this.depth, size);
    this.enterAt = widerInt(this.enterAt, size);
    this.enterBytes = widerInt(this.enterBytes, size);
    this.returnAt = widerInt(this.returnAt, size);
    this.returnBytes = widerInt(this.returnBytes, size);
    const end = new Uint8Array(size);
    end.set(this.end);
    this.end = end;
  }
}

function widerFloat(from: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(size);
  to.set(from);
  return to;
}

function widerInt(from: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(size);
  to.set(from);
  return to;
}
