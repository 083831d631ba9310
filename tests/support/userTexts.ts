import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { at } from './read.ts';

export interface UserText {
  readonly place: string;
  readonly text: string;
}

/** What a person or a model may read: strings of two words and more in the sources of the product. */
export function userTexts(): UserText[] {
  const files = ['src', 'editors'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(root, file)),
  );
  return files.flatMap((file) => {
    const tree = parse(readFileSync(file, 'utf8'), {
      sourceType: 'module',
      plugins: ['typescript', 'explicitResourceManagement'],
    });
    return [...textsIn(tree.program)].map(({ text, line }) => ({ place: `${file}:${line}`, text }));
  });
}

/** Parts of a template are one text; what stands between them is `…`. */
function* textsIn(node: unknown): Generator<{ readonly text: string; readonly line: number }> {
  if (Array.isArray(node)) {
    for (const one of node) yield* textsIn(one);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const text = textOf(node);
  if (text !== null && /\w \w/.test(text))
    yield { text, line: Number(at(node, 'loc', 'start', 'line')) };
  for (const [name, value] of Object.entries(node)) {
    if (name !== 'loc' && !name.endsWith('Comments')) yield* textsIn(value);
  }
}

function textOf(node: object): string | null {
  const type = at(node, 'type');
  if (type === 'StringLiteral') return String(at(node, 'value'));
  if (type !== 'TemplateLiteral') return null;
  const quasis = at(node, 'quasis');
  if (!Array.isArray(quasis)) return null;
  return quasis.map((part) => String(at(part, 'value', 'cooked'))).join('…');
}
