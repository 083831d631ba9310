/**
 * The lambdas of one function differ in a number, in their linkage names (Itanium C++ ABI §5.1.8) and their readable ones:
 *
 *     _ZZ4mainENKUlvE_clEv    main::{lambda()#1}::operator()
 *     _ZZ4mainENKUlvE3_clEv   main::{lambda()#5}::operator()
 *
 * Such a function may have many, and a long name: of those that follow each other only the first is demangled.
 */
export class LambdaNames {
  /** Number of the name that the debug information gives; -1 where none is known. */
  #path = -1;
  /** What stands around the number in the linkage name, and in the readable one. */
  #head = '';
  #tail = '';
  #before = '';
  #after = '';

  /** The readable name when it differs from the one noted last in its number only; else null. */
  find(path: number, linkage: string): string | null {
    const from = this.#head.length;
    const to = linkage.length - this.#tail.length;
    if (path !== this.#path || to < from) return null;
    if (!linkage.startsWith(this.#head) || !linkage.endsWith(this.#tail)) return null;
    const number = linkage.slice(from, to);
    return isNumber.test(number) ? `${this.#before}${ordinal(number)}${this.#after}` : null;
  }

  /** `readable` is the name of `linkage`. */
  note(path: number, linkage: string, readable: string): void {
    this.#path = -1;
    const at = linkage.indexOf('Ul');
    const [sign = '', number = ''] = signature.exec(linkage.slice(at)) ?? [];
    if (at < 0 || sign === '' || linkage.includes('Ul', at + 2)) return;
    const shown = `#${ordinal(number)}}`;
    const [before = '', after = '', ...more] = readable.split(shown);
    if (more.length > 0 || readable.split('{lambda(').length !== 2) return;
    if (!readable.includes(shown)) return;
    this.#path = path;
    const end = at + sign.length - 1;
    this.#head = linkage.slice(0, end - number.length);
    this.#tail = linkage.slice(end);
    this.#before = `${before}#`;
    this.#after = `}${after}`;
  }
}

const isNumber = /^(?:0|[1-9]\d{0,5})?$/;
/** Without types that have names, in which anything may stand. */
const signature = /^Ul[A-Za-z]*?E((?:0|[1-9]\d{0,5})?)_/;

function ordinal(number: string): number {
  return number === '' ? 1 : Number(number) + 2;
}
