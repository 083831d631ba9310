import { SaxesParser } from 'saxes';
import { StringDecoder } from 'node:string_decoder';

/** What a reader of one XML format does with its elements. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Characters that XML 1.0 forbids and runners write all the same (§2.2). */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Reads XML as it arrives. Damage does not end it: what comes after is read as well as it can be,
 * and `damaged` tells. Text before the first `<` is skipped.
 */
export class XmlStream {
  readonly #parser = new SaxesParser();
  readonly #decoder = new StringDecoder('utf8');
  #began = false;
  damaged = false;

  constructor(handler: XmlHandler) {
    this.#parser.on('opentag', (tag) => handler.open(tag.name, { ...tag.attributes }));
    this.#parser.on('text', (text) => handler.text(text));
    this.#parser.on('cdata', (text) => handler.text(text));
    this.#parser.on('closetag', (tag) => handler.close(tag.name));
    this.#parser.on('error', () => {
      this.damaged = true;
    });
  }

  push(chunk: Buffer): void {
    let text = this.#decoder.write(chunk).replace(forbidden, '\ufffd');
    if (!this.#began) {
      const start = text.indexOf('<');
      if (start < 0) return;
      text = text.slice(start);
      this.#began = true;
    }
    this.#parser.write(text);
  }

  end(): void {
    if (!this.#began) return;
    this.#parser.close();
  }
}
