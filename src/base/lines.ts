/** Cuts a stream of bytes into lines, each with a limit, so that a peer cannot fill the memory. */
export class LineReader {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;
  #skipping = false;

  /** `limit`: bytes of one line without its newline. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The lines that are complete now, decoded as UTF-8, empty ones left out; null stands for a
   * line that was longer than the limit and was skipped.
   */
  push(chunk: Buffer): (string | null)[] {
    const lines: (string | null)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#take(chunk.subarray(start, end));
      start = end + 1;
      if (this.#skipping) lines.push(null);
      else {
        const line = Buffer.concat(this.#parts).toString('utf8').trim();
        if (line !== '') lines.push(line);
      }
      this.#parts = [];
      this.#length = 0;
      this.#skipping = false;
    }
    this.#take(chunk.subarray(start));
    return lines;
  }

  #take(part: Buffer): void {
    if (part.length === 0 || this.#skipping) return;
    this.#length += part.length;
    if (this.#length > this.#limit) {
      this.#skipping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }
}
