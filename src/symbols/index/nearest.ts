import { anywhere } from '../../model/pattern.ts';
import type { NameProgram, Pattern } from '../../model/pattern.ts';
import { matchingNames } from './matching.ts';
import { textAt, textCount } from './moduleIndex.ts';
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
      return [];
    case 'file': {
      const wanted = lastWord(pattern.selection.glob.split('/').at(-1) ?? '');
      return rank(
        wanted,
        indexes,
        (index) => index.files,
        (text) => text.slice(text.lastIndexOf('/') + 1),
        limit,
      ).map((path) => `@file:${path}`);
    }
    case 'name':
      return nearestFunctions(pattern.selection.native, indexes, limit);
  }
}

/** First those it would match deeper in some namespace, then those that are spelled alike. */
function nearestFunctions(
  program: NameProgram,
  indexes: readonly ModuleIndex[],
  limit: number,
): string[] {
  const deeper: NameProgram = { ...anywhere(program), parameters: null };
  const found = new Set<string>();
  if (program.literal.length > 1) {
    for (const index of indexes) {
      const marks = matchingNames(index, deeper);
      for (
        let number = marks.indexOf(1);
        number >= 0 && found.size < limit;
        number = marks.indexOf(1, number + 1)
      ) {
        found.add(textAt(index.nameTexts, number));
      }
    }
  }
  const wanted = program.lastWord === '' ? program.literal : program.lastWord;
  for (const name of rank(wanted, indexes, (index) => index.nameTexts, unqualified, limit)) {
    if (found.size < limit) found.add(name);
  }
  return [...found];
}

function rank(
  wanted: string,
  indexes: readonly ModuleIndex[],
  tableOf: (index: ModuleIndex) => ModuleIndex['nameTexts'],
  keyOf: (text: string) => string,
  limit: number,
): string[] {
  if (wanted === '') return [];
  const goal = wanted.toLowerCase();
  const best: Candidate[] = [];
  const seen = new Set<string>();
  for (const index of indexes) {
    const table = tableOf(index);
    for (let number = 0; number < textCount(table); number++) {
      const text = textAt(table, number);
      const score = scoreOf(goal, keyOf(text).toLowerCase());
      const worst = best.at(-1);
      if (
        score === null ||
        (best.length >= limit && worst !== undefined && score >= worst.score) ||
        seen.has(text)
      )
        continue;
      seen.add(text);
      best.push({ text, score });
      best.sort((a, b) => a.score - b.score || a.text.length - b.text.length);
      best.length = Math.min(best.length, limit);
    }
  }
  return best.map((candidate) => candidate.text);
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
  if (head === text) return text.includes('::') ? tail : text;
  const after = text.lastIndexOf('>::');
  return after >= 0
    ? text.slice(after + 3).replace(/<.*$/, '')
    : head.slice(head.lastIndexOf('::') < 0 ? 0 : head.lastIndexOf('::') + 2);
}
