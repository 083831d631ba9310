import { stringFlags } from '../../src/model/eventColumns.ts';
import { immediateTag, itemTag } from '../../src/model/values/dynamicValue.ts';

/** Names of what a value may refer to, by number. */
export interface DefinedNames {
  readonly types: ReadonlyMap<number, string>;
  readonly names: ReadonlyMap<number, string>;
}

/** Values that describe themselves as text, read independently of src/model/decoding. */
export function dynamicTexts(payload: Buffer, defined: DefinedNames): string[] {
  const texts: string[] = [];
  for (let at = 0; at < payload.length;) {
    const bytes = payload.readUInt32LE(at);
    const flags = payload.readUInt32LE(at + 4);
    const cut = (flags & stringFlags.truncated) === 0 ? '' : '…';
    if (bytes === 0) texts.push(cut || immediateText(flags));
    else texts.push(new Items(payload.subarray(at + 8, at + 8 + bytes), defined).next() + cut);
    at += 8 + Math.ceil(bytes / 8) * 8;
  }
  return texts;
}

function immediateText(flags: number): string {
  const tag = (flags >>> 3) & 31;
  if (tag === immediateTag.integer) return String(flags >> 8);
  return nameOf(immediateTag, tag);
}

function nameOf(tags: Readonly<Record<string, number>>, tag: number): string {
  return Object.entries(tags).find(([, number]) => number === tag)?.[0] ?? `tag ${tag}`;
}

class Items {
  readonly #bytes: Buffer;
  readonly #defined: DefinedNames;
  #at = 0;

  constructor(bytes: Buffer, defined: DefinedNames) {
    this.#bytes = bytes;
    this.#defined = defined;
  }

  next(): string {
    const tag = this.#byte();
    switch (tag) {
      case itemTag.i8:
        return String(this.#take(1).readInt8());
      case itemTag.i16:
        return String(this.#take(2).readInt16LE());
      case itemTag.i32:
        return String(this.#take(4).readInt32LE());
      case itemTag.i64:
        return String(this.#take(8).readBigInt64LE());
      case itemTag.integer:
        return this.#integer();
      case itemTag.float:
        return String(this.#take(8).readDoubleLE());
      case itemTag.text1:
        return this.#text(1, 'latin1');
      case itemTag.text2:
        return this.#text(2, 'utf16le');
      case itemTag.bytes:
        return `bytes(${this.#number()}, ${this.#take(this.#number()).toString('hex')})`;
      case itemTag.list:
        return `[${this.#several().join(', ')}]`;
      case itemTag.tuple:
        return `(${this.#several().join(', ')})`;
      case itemTag.set:
        return `set(${this.#several().join(', ')})`;
      case itemTag.map:
        return `{${pairs(this.#several(), ': ')}}`;
      case itemTag.object:
      case itemTag.enumeration:
        return this.#typed((type, items) => `${type}(${pairs(items, '=')})`, 6);
      case itemTag.exception:
      case itemTag.subclass:
        return this.#typed((type, [item, ...rest]) => `${type}${item}${pairs(rest, '=')}`);
      case itemTag.function:
      case itemTag.type:
      case itemTag.symbol:
        return `${nameOf(itemTag, tag)} ${this.next()}`;
      case itemTag.other:
        return `<${this.#type()} ${this.#take(6).length}>`;
      case itemTag.cycle:
        return `cycle ${this.#byte()}`;
      case itemTag.name:
        return this.#defined.names.get(this.#number()) ?? 'unknown name';
      default:
        return nameOf(itemTag, tag);
    }
  }

  #byte(): number {
    return this.#take(1).readUInt8();
  }

  #take(bytes: number): Buffer {
    this.#at += bytes;
    if (this.#at > this.#bytes.length) throw new Error('the value is too short');
    return this.#bytes.subarray(this.#at - bytes, this.#at);
  }

  #number(): number {
    let sum = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte();
      sum += (byte & 127) * scale;
      if (byte < 128) return sum;
    }
  }

  #integer(): string {
    const sign = this.#byte() === 0 ? '' : '-';
    const whole = this.#number();
    const held = this.#number();
    const digits = this.#take(held * 4);
    let sum = 0n;
    for (let at = held - 1; at >= 0; at--) sum = (sum << 30n) | BigInt(digits.readUInt32LE(at * 4));
    return `${sign}${sum}${held < whole ? '…' : ''}`;
  }

  #text(unit: number, encoding: 'latin1' | 'utf16le'): string {
    const whole = this.#number();
    const held = this.#number();
    return JSON.stringify(this.#take(held * unit).toString(encoding)) + (held < whole ? '…' : '');
  }

  /** Of a size and a count, the items. */
  #several(): string[] {
    const end = this.#end();
    const count = this.#number();
    const items = this.#until(end);
    const isAll = items.length === count || items.length === 2 * count;
    return isAll ? items : [...items, '…'];
  }

  #typed(show: (type: string, items: string[]) => string, skipped = 0): string {
    const end = this.#end();
    const type = this.#type();
    this.#take(skipped);
    return show(type, this.#until(end));
  }

  #type(): string {
    return this.#defined.types.get(this.#number()) ?? 'unknown type';
  }

  #end(): number {
    const size = this.#take(2).readUInt16LE();
    return this.#at + size;
  }

  #until(end: number): string[] {
    const items: string[] = [];
    while (this.#at < end) items.push(this.next());
    return items;
  }
}

function pairs(items: readonly string[], between: string): string {
  const shown: string[] = [];
  for (let at = 0; at < items.length; at += 2)
    shown.push(
      items[at + 1] === undefined ? `${items[at]}` : `${items[at]}${between}${items[at + 1]}`,
    );
  return shown.join(', ');
}
