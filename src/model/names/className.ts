/** Builtin types of the Itanium C++ ABI (§5.1.5.2). */
const builtins: Readonly<Record<string, string>> = {
  v: 'void',
  w: 'wchar_t',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  n: '__int128',
  o: 'unsigned __int128',
  f: 'float',
  d: 'double',
  e: 'long double',
  g: '__float128',
  Di: 'char32_t',
  Ds: 'char16_t',
  Du: 'char8_t',
  Dn: 'std::nullptr_t',
};
const abbreviations: Readonly<Record<string, string>> = {
  Sa: 'std::allocator',
  Ss: 'std::string',
  Si: 'std::istream',
  So: 'std::ostream',
  Sd: 'std::iostream',
};
const marks: Readonly<Record<string, string>> = { P: '*', R: '&', O: '&&' };
const mostNested = 64;

/** What is not a class's name as this reads them. */
class NotRead extends Error {}

/**
 * A class as the source spells it, of the name in its type info: `N4bank7AccountE`. The mangled name
 * itself where it is of a kind that is not read (gcc's lambdas, expressions).
 */
export function className(mangled: string): string {
  try {
    return new ClassName(mangled.replace(/^\*/, '')).whole();
  } catch (error) {
    if (error instanceof NotRead) return mangled;
    throw error;
  }
}

/** `int (*)(char)`: what is returned, the marks between, the parameters. */
interface FunctionType {
  readonly returns: string;
  readonly marks: string;
  readonly parameters: string;
}

class ClassName {
  readonly #text: string;
  #at = 0;
  #nested = 0;
  readonly #known: string[] = [];
  /** By their spelling the types of functions, and of what leads to them. */
  readonly #functions = new Map<string, FunctionType>();

  constructor(text: string) {
    this.#text = text;
  }

  whole(): string {
    const name = this.#type();
    if (this.#at !== this.#text.length) throw new NotRead();
    return name;
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #keep(name: string): string {
    this.#known.push(name);
    return name;
  }

  #type(): string {
    if (++this.#nested > mostNested) throw new NotRead();
    const type = this.#plainType();
    this.#nested--;
    return type;
  }

  #plainType(): string {
    if (this.#take('K')) return this.#keep(`${this.#type()} const`);
    for (const [mark, text] of Object.entries(marks)) {
      if (this.#take(mark)) return this.#keep(this.#marked(this.#type(), text));
    }
    if (this.#take('F')) return this.#keep(this.#functionType());
    for (const size of [1, 2]) {
      const builtin = builtins[this.#text.slice(this.#at, this.#at + size)];
      if (builtin === undefined) continue;
      this.#at += size;
      return builtin;
    }
    return this.#class();
  }

  #marked(type: string, mark: string): string {
    const found = this.#functions.get(type);
    return found ? this.#spelt({ ...found, marks: `${found.marks}${mark}` }) : `${type}${mark}`;
  }

  #spelt(type: FunctionType): string {
    const { returns, marks: between, parameters } = type;
    const text = `${returns} ${between === '' ? '' : `(${between})`}(${parameters})`;
    this.#functions.set(text, type);
    return text;
  }

  /** What is returned, then the parameters (§5.1.5.3). */
  #functionType(): string {
    const returns = this.#type();
    return this.#spelt({ returns, marks: '', parameters: this.#parameters() });
  }

  /** Up to the end of their list. */
  #parameters(): string {
    const found: string[] = [];
    while (!this.#take('E')) found.push(this.#type());
    return found.filter((type) => type !== 'void').join(', ');
  }

  /** A class inside a function (§5.1.7); the function's parameters are left out. */
  #local(): string {
    if (++this.#nested > mostNested) throw new NotRead();
    const outer = this.#class();
    // A function is no type that could be referred to.
    this.#known.pop();
    this.#parameters();
    const name = this.#part(outer);
    this.#at += /^(?:_\d|__\d+_)?/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
    this.#nested--;
    return name;
  }

  #class(): string {
    if (this.#take('Z')) return this.#local();
    if (this.#take('N')) {
      let name = this.#part(null);
      while (!this.#take('E')) name = this.#part(name);
      return name;
    }
    let name = this.#part(null);
    if (this.#text[this.#at] === 'I') name = this.#part(name);
    return name;
  }

  /** One more part of a name; each beginning of it can be referred to later (§5.1.10). */
  #part(outer: string | null): string {
    if (this.#text[this.#at] === 'I') {
      if (outer === null) throw new NotRead();
      return this.#keep(`${outer}<${this.#arguments().join(', ')}>`);
    }
    if (this.#take('St')) {
      const own = /\d/.test(this.#text[this.#at] ?? '') ? this.#source() : null;
      return own === null ? 'std' : this.#keep(`std::${own}`);
    }
    const short = abbreviations[this.#text.slice(this.#at, this.#at + 2)];
    if (outer === null && short !== undefined) {
      this.#at += 2;
      return short;
    }
    if (this.#take('S')) return this.#earlier();
    const own = this.#source();
    const tags = this.#tags();
    return this.#keep(`${outer === null ? '' : `${outer}::`}${own}${tags}`);
  }

  #earlier(): string {
    const match = /^([0-9A-Z]*)_/.exec(this.#text.slice(this.#at));
    if (!match) throw new NotRead();
    this.#at += match[0].length;
    const digits = match[1] ?? '';
    const found = this.#known[digits === '' ? 0 : Number.parseInt(digits, 36) + 1];
    if (found === undefined) throw new NotRead();
    return found;
  }

  #source(): string {
    const match = /^\d+/.exec(this.#text.slice(this.#at));
    if (!match) throw new NotRead();
    this.#at += match[0].length;
    const name = this.#text.slice(this.#at, this.#at + Number(match[0]));
    if (name.length !== Number(match[0])) throw new NotRead();
    this.#at += name.length;
    return name.startsWith('_GLOBAL__N') ? '(anonymous namespace)' : name;
  }

  /** ABI tags, which the source's spelling does not have. */
  #tags(): string {
    while (this.#take('B')) this.#source();
    return '';
  }

  #arguments(): string[] {
    if (!this.#take('I') && !this.#take('J')) throw new NotRead();
    const found: string[] = [];
    while (!this.#take('E')) {
      if (this.#text[this.#at] === 'J') found.push(...this.#arguments());
      else found.push(this.#take('L') ? this.#literal() : this.#type());
    }
    return found;
  }

  #literal(): string {
    const type = this.#type();
    const match = /^(n?\d+)E/.exec(this.#text.slice(this.#at));
    if (!match) throw new NotRead();
    this.#at += match[0].length;
    const number = (match[1] ?? '').replace('n', '-');
    if (type === 'bool') return number === '0' ? 'false' : 'true';
    return number;
  }
}
