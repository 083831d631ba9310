import {
  bracketEnd,
  nameText,
  parseFunctionName,
  withoutParameters,
} from '../../../model/names/functionName.ts';
import { withoutEndings } from './clones.ts';
import type { Demangler } from './demangler.ts';

/**
 * The name of a function whose path in the debug information does not say it: `app::{impl#0}::area` is
 * `<app::Shape as app::Area>::area`. A closure keeps the number that only the path knows.
 */
export function readableFromLinkage(path: string, linkage: string, demangler: Demangler): string {
  const text = demangler.demangle(linkage);
  if (text === linkage) return path === '' ? linkage : path;
  const name = plainRust(withoutParameters(text));
  const number = /\{closure#\d+\}$/.exec(path)?.[0];
  return number === undefined ? name : name.replace(/\{closure\}$/, number);
}

/** Name and signature of a symbol without debug information. */
export function readableSymbol(
  linkage: string,
  demangler: Demangler,
): { name: string; signature: string } {
  const bare = withoutEndings(linkage);
  const text = demangler.demangle(bare);
  if (text === bare) return { name: bare, signature: bare };
  const parsed = parseFunctionName(text);
  const name = parsed.parameters === null ? plainRust(text) : nameText(parsed);
  return {
    name,
    signature: parsed.parameters === null ? name : `${name}(${parsed.parameters.join(', ')})`,
  };
}

/** How many parameters a linkage name of C++ has; null of a name that does not say. */
export function namedParameters(linkage: string, demangler: Demangler): number | null {
  if (!linkage.startsWith('_Z')) return null;
  const text = demangler.demangle(withoutEndings(linkage));
  const { parameters } = parseFunctionName(text);
  if (parameters === null) return null;
  // The demangler takes the tag of a name for its first parameter.
  return parameters.filter((one) => !/^(?:|\.\.\.|void|\[abi:.*)$/.test(one)).length;
}

/**
 * As the debug information writes it: `f<T>` for `f::<T>`, `{closure}` for `{{closure}}`, and
 * `<Type as Trait>::f` for legacy Rust's `module::<impl Trait for Type>::f`.
 */
function plainRust(text: string): string {
  return implementation(text)
    .replaceAll('{{closure}}', '{closure}')
    .replace(/(\w)::</g, '$1<');
}

function implementation(text: string): string {
  const at = text.indexOf('<impl ');
  if (at < 0 || (at > 0 && !/^[\w:]+::$/.test(text.slice(0, at)))) return text;
  const end = bracketEnd(text, at);
  const inner = text.slice(at + 6, end - 1);
  for (let i = 0; i < inner.length; i++) {
    const char = inner.charAt(i);
    if (char === '<' || char === '(' || char === '[') i = bracketEnd(inner, i) - 1;
    else if (inner.startsWith(' for ', i))
      return `<${inner.slice(i + 5)} as ${inner.slice(0, i)}>${text.slice(end)}`;
  }
  return `<${inner}>${text.slice(end)}`;
}
