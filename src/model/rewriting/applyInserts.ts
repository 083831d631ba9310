import { keyPlaceholder, type Insert } from './rewrittenModule.ts';

/** The text that is run. `key`: what `$strobe` is called with to get the hooks of the module. */
export function applyInserts(text: string, inserts: readonly Insert[], key: string): string {
  let rewritten = '';
  let last = 0;
  for (const insert of inserts) {
    rewritten += text.slice(last, insert.position) + withKey(insert.text, key);
    last = insert.position;
  }
  return rewritten + text.slice(last);
}

function withKey(text: string, key: string): string {
  return text.includes(keyPlaceholder) ? text.replaceAll(keyPlaceholder, () => key) : text;
}
