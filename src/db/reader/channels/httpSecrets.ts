import { secretIn, secretNames } from '../../../model/values/redaction.ts';
import { redactedWords } from '../../../model/values/valueWords.ts';

/** Headers and parameters that name no secret by the usual list, and hold one. */
const own = ['cookie', 'token', 'auth', 'signature', 'session id'] as const;
const entries: readonly string[] = [...secretNames, ...own];

/** `name: value`, secrets left out. */
export function shownHeaders(headers: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    const word = secretIn(name, entries);
    lines.push(`${name}: ${word === null ? value : redactedWords(word)}`);
  }
  return lines;
}

/** The path with its query, the values of secret parameters left out. */
export function shownPath(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const parts = url
    .slice(at + 1)
    .split('&')
    .map((part) => {
      const [name = ''] = part.split('=', 1);
      const word = secretIn(name, entries);
      return word === null ? part : `${name}=${redactedWords(word)}`;
    });
  return `${url.slice(0, at)}?${parts.join('&')}`;
}
