/** `bodies` as one frame: u32 little-endian length, then the bytes. */
export function encodeFrame(...bodies: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bodies.reduce((sum, body) => sum + body.length, 0));
  return Buffer.concat([head, ...bodies]);
}

/** A stream of frames cannot be read on: one claims to be longer than allowed. */
export class FrameTooLong extends Error {
  constructor(bytes: number, limit: number) {
    super(`A frame of ${bytes} bytes exceeds the limit of ${limit}.`);
    this.name = 'FrameTooLong';
  }
}

/** Cuts a byte stream into frames of at most `limit` bytes; keeps no more than one unfinished frame. */
export class FrameReader {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #wanted = 4;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The bodies completed by this chunk, in order. Throws FrameTooLong. */
  push(chunk: Buffer): Buffer[] {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wanted) return [];
    const frames: Buffer[] = [];
    const all = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    let at = 0;
    this.#wanted = 4;
    while (all.length - at >= 4) {
      const length = all.readUInt32LE(at);
      if (length > this.#limit) throw new FrameTooLong(length, this.#limit);
      if (all.length - at - 4 < length) {
        this.#wanted = length + 4;
        break;
      }
      frames.push(all.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
    const rest = all.subarray(at);
    this.#parts = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    return frames;
  }
}
