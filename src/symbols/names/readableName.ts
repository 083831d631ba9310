import { nameText, withoutParameters } from '../../model/pattern.ts';
import { parseFunctionName } from '../../model/functionName.ts';
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
export function readableSymbol(linkage: string, demangler: Demangler): { name: string; signature: string } {
  const bare = linkage.replace(/\.(?:isra|constprop|lto_priv|llvm|localalias|clone)\.?.*$/, '');
  const text = demangler.demangle(bare);
  if (text === bare) return { name: bare, signature: bare };
  const parsed = parseFunctionName(text);
  const name = parsed.parameters === null ? plainRust(text) : nameText(parsed);
  return { name, signature: parsed.parameters === null ? name : `${name}(${parsed.parameters.join(', ')})` };
}

/** As the debug information writes it: `f<T>` for `f::<T>`, `{closure}` for `{{closure}}`. */
function plainRust(text: string): string {
  return text.replaceAll('{{closure}}', '{closure}').replace(/(\w)::</g, '$1<');
}
