/** Bytes of one message. */
const longest = 16 << 20;

/** A message, or why there is none, a whole sentence. */
export type DapFrame =
  | { readonly message: object; readonly refused: null }
  | { readonly message: null; readonly refused: string };

/** Cuts a stream into messages: `Content-Length: N`, an empty line, N bytes of JSON (DAP, base protocol). */
export class DapFrames {
  #buffer: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): DapFrame[] {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    const frames: DapFrame[] = [];
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) return frames;
      const header = this.#buffer.subarray(0, end).toString('latin1');
      const length = Number(/^Content-Length: *(\d+)/im.exec(header)?.[1] ?? Number.NaN);
      if (!Number.isInteger(length) || length > longest) {
        // Its length is unknown: the next header is looked for.
        this.#buffer = this.#buffer.subarray(end + 4);
        frames.push({ message: null, refused: 'A message without a usable Content-Length came.' });
        continue;
      }
      if (this.#buffer.length < end + 4 + length) return frames;
      frames.push(parsed(this.#buffer.subarray(end + 4, end + 4 + length).toString('utf8')));
      this.#buffer = this.#buffer.subarray(end + 4 + length);
    }
  }
}

function parsed(text: string): DapFrame {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === 'object' && message !== null) return { message, refused: null };
  } catch {
    // Refused below.
  }
  return { message: null, refused: 'A message that is no JSON object came.' };
}

/** A message as it is written. */
export function framed(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
