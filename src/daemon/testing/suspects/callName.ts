import type { CallView } from '../../../model/questions/query.ts';

/** `area` of `geometry::area<int>`, `total` of `shop.Cart.total`. */
export function lastName({ function: name, file }: Pick<CallView, 'function' | 'file'>): string {
  if (isDynamic({ file })) return name.split('.').at(-1) ?? name;
  const plain = withoutParameters(name);
  return plain.split('::').at(-1) ?? plain;
}

/** `keep` of `keep<Hook<Capture<u8>>>`; the arrow of a function's type closes nothing. */
function withoutParameters(name: string): string {
  if (!name.endsWith('>')) return name;
  let depth = 0;
  for (let at = name.length - 1; at > 0; at--) {
    if (name[at] === '>' && name[at - 1] !== '-') depth += 1;
    if (name[at] === '<') depth -= 1;
    if (depth === 0) return name.slice(0, at);
  }
  return name;
}

/** Its values are read as they are, and texts and containers tell more of it than numbers. */
export function isDynamic({ file }: Pick<CallView, 'file'>): boolean {
  return file !== null && /\.(?:py|[cm]?[jt]sx?)$/.test(file);
}

/** How languages of such functions are called. */
export function isDynamicLanguage(language: string): boolean {
  return language === 'Python' || language === 'JavaScript';
}

/** The parameter that is the object of a method. */
export function isSelf(name: string): boolean {
  return name === 'self' || name === 'this';
}

/** `__init__`, `constructor`. */
export function isConstructor({ function: name }: Pick<CallView, 'function'>): boolean {
  return name.endsWith('.__init__') || name.endsWith('.constructor');
}

/** The function that a function without a name stands in. */
export function namedAround(name: string): string {
  return name.replace(/(?:\.<anonymous>)+$/, '');
}

/** Its body stands in braces. */
export function isBraced({ file }: Pick<CallView, 'file'>): boolean {
  return file?.endsWith('.py') !== true;
}
