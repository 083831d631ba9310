import { anywhere } from '../../../model/names/pattern.ts';
import type { NameProgram, Pattern } from '../../../model/names/pattern.ts';
import { matchingNames } from './matching.ts';
import { nameAt } from '../names/nameTree.ts';
import { textAt, textCount } from '../names/textTable.ts';
import type { TextTable } from '../names/textTable.ts';
import { namesOfFunctions } from './moduleIndex.ts';
import type { ModuleIndex } from './moduleIndex.ts';

interface Candidate {
  readonly text: string;
  readonly score: number;
}

/** Names (or files, for `@file:`) that a pattern without a match may have meant; best first. */
export function nearestNames(
  pattern: Pattern,
  indexes: readonly ModuleIndex[],
  limit: number,
): string[] {
  switch (pattern.selection.kind) {
    case 'usercode':
    case 'known':
      return [];
    case 'file': {
      const wanted = lastWord(pattern.selection.glob.split('/').at(-1) ?? '');
      return nearestFiles(wanted, indexes, limit).map((path) => `@file:${path}`);
    }
    case 'name':
      return nearestFunctions(pattern, pattern.selection.native, indexes, limit);
  }
}

/** First those it would match deeper in some namespace, then those that are spelled alike. */
function nearestFunctions(
  { text }: Pattern,
  program: NameProgram,
  indexes: readonly ModuleIndex[],
  limit: number,
): string[] {
  const deeper: NameProgram = { ...anywhere(program), parameters: null };
  const found = new Set<string>();
  if (program.literal.length > 1) {
    for (const index of indexes) {
      const marks = matchingNames(index.nameTree, deeper);
      const isFunction = namesOfFunctions(index);
      for (
        let number = marks.indexOf(1);
        number >= 0 && found.size < limit;
        number = marks.indexOf(1, number + 1)
      ) {
        if (isFunction[number] === 1) found.add(nameAt(index.nameTree, number));
      }
    }
  }
  if (found.size === limit) return [...found];
  const [, dotted] = /\.(\w+)$/.exec(text) ?? [];
  const wanted = dotted ?? (program.lastWord === '' ? program.literal : program.lastWord);
  const alike = new Nearest(wanted, limit);
  for (const index of indexes) {
    const { parents, segments, texts } = index.nameTree;
    const isFunction = namesOfFunctions(index);
    const scores = alike.scores(texts, unqualified);
    for (let number = 1; number < parents.length; number++) {
      const score = scores[segments[number] ?? 0] ?? NaN;
      if (isFunction[number] === 1 && alike.mayTake(score))
        alike.take(nameAt(index.nameTree, number), score);
    }
  }
  for (const name of alike.texts) if (found.size < limit) found.add(name);
  return [...found];
}

function nearestFiles(wanted: string, indexes: readonly ModuleIndex[], limit: number): string[] {
  const alike = new Nearest(wanted, limit);
  for (const { files } of indexes)
    alike
      .scores(files, (path) => path.slice(path.lastIndexOf('/') + 1))
      .forEach((score, number) => {
        if (alike.mayTake(score)) alike.take(textAt(files, number), score);
      });
  return alike.texts;
}

/** The texts nearest to what was wanted. */
class Nearest {
  readonly #goal: string;
  readonly #limit: number;
  readonly #best: Candidate[] = [];
  readonly #seen = new Set<string>();

  constructor(wanted: string, limit: number) {
    this.#goal = wanted.toLowerCase();
    this.#limit = limit;
  }

  get texts(): string[] {
    return this.#best.map((candidate) => candidate.text);
  }

  /** Of each text of a table by its `keyOf`; NaN = too far. */
  scores(table: TextTable, keyOf: (text: string) => string): Float64Array {
    const scores = new Float64Array(textCount(table)).fill(NaN);
    if (this.#goal === '') return scores;
    // Instances of one template have the same key.
    const known = new Map<string, number>();
    for (let number = 0; number < scores.length; number++) {
      const key = keyOf(textAt(table, number)).toLowerCase();
      let score = known.get(key);
      if (score === undefined) {
        score = scoreOf(this.#goal, key) ?? NaN;
        known.set(key, score);
      }
      scores[number] = score;
    }
    return scores;
  }

  mayTake(score: number): boolean {
    const worst = this.#best.at(-1);
    return this.#best.length < this.#limit || worst === undefined
      ? !Number.isNaN(score)
      : score < worst.score;
  }

  take(text: string, score: number): void {
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#best.push({ text, score });
    this.#best.sort((a, b) => a.score - b.score || a.text.length - b.text.length);
    this.#best.length = Math.min(this.#best.length, this.#limit);
  }
}

/** Smaller is nearer; null = too far. */
function scoreOf(wanted: string, name: string): number | null {
  if (name === wanted) return 0;
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const distance =
    Math.abs(name.length - wanted.length) > most ? null : editDistance(wanted, name, most);
  if (distance !== null) return distance;
  if (wanted.length < 3) return null;
  if (name.includes(wanted)) return most + 1 + (name.length - wanted.length) / 100;
  return name.length >= 4 && wanted.includes(name)
    ? most + 2 + (wanted.length - name.length) / 100
    : null;
}

/** Optimal string alignment distance, or null above `most`. */
export function editDistance(a: string, b: string, most: number): number | null {
  let twoBack: number[] = [];
  let back: number[] = Array.from({ length: b.length + 1 }, (_unused, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min(
        (back[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (back[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      ) {
        cost = Math.min(cost, (twoBack[j - 2] ?? 0) + 1);
      }
      row.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest > most) return null;
    twoBack = back;
    back = row;
  }
  const distance = back[b.length] ?? 0;
  return distance <= most ? distance : null;
}

function lastWord(text: string): string {
  return text
    .split(/[*?{}[\],]/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

/** The last segment without template arguments, found without a full parse: ranking needs no more. */
function unqualified(text: string): string {
  const bracket = text.indexOf('<', 1);
  const head = bracket > 0 && !text.startsWith('<') ? text.slice(0, bracket) : text;
  const tail = head === text ? text.slice(text.lastIndexOf('::') + 2) : '';
  if (head === text) return text.includes('::') ? tail : lastDotted(text);
  const after = text.lastIndexOf('>::');
  return after >= 0
    ? text.slice(after + 3).replace(/<.*$/, '')
    : head.slice(head.lastIndexOf('::') < 0 ? 0 : head.lastIndexOf('::') + 2);
}

/** Of a name of Go without what its types are: `shop.Map[...]` is Map. */
function lastDotted(text: string): string {
  const [name = ''] = text.split('[', 1);
  return name.slice(name.lastIndexOf('.') + 1);
}
