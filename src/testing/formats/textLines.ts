import { StringDecoder } from 'node:string_decoder';

const longestLine = 1 << 20;

/**
 * Cuts bytes into lines of text, empty ones included. Bytes that are no UTF-8 become U+FFFD; a
 * line longer than 1 MB is given out in pieces.
 */
export class TextLines {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  push(chunk: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > longestLine) {
      lines.push(this.#rest);
      this.#rest = '';
    }
    return lines.map(withoutReturn);
  }

  /** What is left without an end of line. */
  end(): string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    return rest === '' ? [] : [withoutReturn(rest)];
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
