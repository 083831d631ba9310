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
  return `${url.slice(0, at)}?${shownForm(url.slice(at + 1))}`;
}

function shownForm(text: string): string {
  const parts = text.split('&').map((part) => {
    const [name = ''] = part.split('=', 1);
    const word = secretIn(name, entries);
    return word === null ? part : `${name}=${redactedWords(word)}`;
  });
  return parts.join('&');
}

/** A body, or its beginning: of JSON, forms and lines of `name: value` without what secret names stand for. */
export function shownBody(text: string): string {
  if (/^\s*[[{]/.test(text)) return shownJson(text);
  if (/^[^\s=&:{"]{1,200}=\S*$/.test(text)) return shownForm(text);
  return text.replace(/^([\w-]{1,100}): *(.*)$/gm, (line, name: string) => {
    const word = secretIn(name, entries);
    return word === null ? line : `${name}: ${redactedWords(word)}`;
  });
}

/** Also of JSON that is not whole: behind a secret name, all of a list or object is left out. */
function shownJson(text: string): string {
  let hidden = false;
  const shown = text.replace(
    /"((?:[^"\\]|\\.)*)"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[[{]|[^\s,}\]]*)/g,
    (member, name: string, colon: string, value: string) => {
      const word = secretIn(name, entries);
      if (word === null) return member;
      hidden ||= /^[[{]/.test(value);
      return `"${name}"${colon}${redactedWords(word)}`;
    },
  );
  return hidden ? shownWhole(text) : shown;
}

function shownWhole(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) => {
      const word = secretIn(name, entries);
      return word === null ? value : redactedWords(word);
    });
  } catch {
    return redactedWords('secret'); // Where the list or object ends is not known.
  }
}
