import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSource } from './sourceTree.ts';

/** One test, as far as its title says. */
export interface Citation {
  /** From the root. */
  readonly file: string;
  readonly title: string;
  /** Ids of promises in the title, `[like.this]`. */
  readonly ids: readonly string[];
  /** What the test needs of the machine, when it is declared with `itNeeds`. */
  readonly need: string | null;
}

/** vitest's own functions, and those named after them. */
const testFunction = /^(it|test|describe)([A-Z]\w*)?$/;
const folders = ['tests/unit', 'tests/native', 'tests/integration', 'tests/e2e', 'proof/tests'];

/** The titles of all tests that cite a promise or need something. */
export function readCitations(root: string): Citation[] {
  return testFiles(root).flatMap((file) =>
    citationsOf(file, readFileSync(join(root, file), 'utf8')),
  );
}

function testFiles(root: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .toSorted()
      .map((name) => `${folder}/${name}`),
  );
}

export function citationsOf(file: string, text: string): Citation[] {
  const found: Citation[] = [];
  visitCalls(parseSource(file, text), (callee, texts) => {
    if (!testFunction.test(callee)) return;
    const hasNeed = /(?:Needs|Proves)$/.test(callee);
    const need = hasNeed ? (texts[0] ?? null) : null;
    const title = texts[hasNeed ? 1 : 0];
    if (title === undefined) return;
    const ids = [...title.matchAll(/\[([a-z]+\.[a-z0-9-]+)\]/g)].map((match) => match[1] ?? '');
    if (ids.length > 0 || need !== null) found.push({ file, title, ids, need });
  });
  return found;
}

/** Calls `visit` with the first name of each called expression and its arguments that are text. */
function visitCalls(
  node: unknown,
  visit: (callee: string, texts: readonly string[]) => void,
): void {
  if (typeof node !== 'object' || node === null) return;
  if (Reflect.get(node, 'type') === 'CallExpression') {
    const given: unknown = Reflect.get(node, 'arguments');
    const texts = (Array.isArray(given) ? given : [])
      .map(textOf)
      .filter((text) => text !== undefined);
    visit(firstName(Reflect.get(node, 'callee')), texts);
  }
  for (const [name, child] of Object.entries(node)) if (name !== 'loc') visitCalls(child, visit);
}

function textOf(node: object): string | undefined {
  const value: unknown = Reflect.get(node, 'value');
  if (typeof value === 'string') return value;
  const pieces: unknown = Reflect.get(node, 'quasis');
  if (!Array.isArray(pieces)) return undefined;
  return pieces.map((piece: { value: { raw: string } }) => piece.value.raw).join('…');
}

/** `it` of `it`, `it.each(table)` and `it.skipIf(x).each(table)`. */
function firstName(node: unknown): string {
  if (typeof node !== 'object' || node === null) return '';
  const name: unknown = Reflect.get(node, 'name');
  if (typeof name === 'string') return name;
  const inner: unknown[] = ['object', 'callee', 'tag'].map((field): unknown =>
    Reflect.get(node, field),
  );
  return firstName(inner.find((child) => child !== undefined));
}
