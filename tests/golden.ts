import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, type RunnerTask } from 'vitest';
import { countTokens } from './support/tokens.ts';

/*
 * Golden text: a test makes a text, a file beside it says what the text must be. The file's first
 * line is its size in tokens, so that a change of an answer shows its cost. Run with
 * STROBE_GOLDEN=write to rewrite; a failing comparison leaves the new text in `<name>.actual`.
 */

const ending = '.golden.txt';

/** What differs from run to run, in the order in which it is replaced. */
const unstable: readonly (readonly [RegExp, string])[] = [
  [/\/tmp\/[\w.-]+/g, '<tmp>'],
  [/-\d{4}-\d\d-\d\d-\d\dh\d\d-[a-z0-9]{4}\b/g, '-<when>'],
  [/-…-[a-z0-9]{4}\b/g, '-…-<id>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d\.\d+)?Z/g, '<date>'],
  [/0x[0-9a-f]{4,16}\b/g, '0x<address>'],
  [/\+\d+\.\d{3,6}s/g, '+<time>'],
  [/\b\d+(\.\d+)? (ns|µs|ms|s|min|h)\b/g, '<duration>'],
  [/\b(pipe|socket):\[\d+\]/g, '$1:[<inode>]'],
  [/\b(pid |thread \S+ \(|"pid":|"pids":\[|"tid":|"threadId":)\d+/g, '$1<id>'],
  [/("[a-zA-Z]+(?:Ns|Ms|MsAgo)":)\d+(\.\d+)?/g, '$1<time>'],
];

/** The text without what differs from run to run. */
export function normalised(text: string): string {
  return unstable.reduce((result, [pattern, name]) => result.replace(pattern, name), text);
}

export interface Goldens {
  /** Compares the text, unstable parts replaced; `exact`: as it is. */
  expectGolden(name: string, text: string, options?: { readonly exact?: boolean }): Promise<void>;
}

/**
 * The golden files of one test file: `<folder>/golden/<subject>.<name>.golden.txt`. When all its
 * tests have run, a file that none of them used fails.
 */
export function goldens(folder: string, subject: string): Goldens {
  const directory = join(folder, 'golden');
  const used = new Set<string>();
  const write = process.env['STROBE_GOLDEN'] === 'write';

  let tasks: readonly RunnerTask[] = [];
  beforeEach(({ task }) => {
    tasks = task.file.tasks;
  });

  afterAll(() => {
    const isWhole = tasks.every((task) => task.mode === 'run' && task.result?.state === 'pass');
    if (!isWhole || !existsSync(directory)) return;
    const unused = readdirSync(directory).filter(
      (file) => file.startsWith(`${subject}.`) && file.endsWith(ending) && !used.has(file),
    );
    if (write) for (const file of unused) rmSync(join(directory, file));
    else expect(unused, 'golden files that no test uses').toEqual([]);
  });

  return {
    async expectGolden(name, text, options = {}) {
      const file = `${subject}.${name}${ending}`;
      expect(used, `two tests use ${file}`).not.toContain(file);
      used.add(file);
      const path = join(directory, file);
      const content = options.exact ? text : normalised(text);
      const actual = `${countTokens(content)} tokens\n${content}\n`;
      if (write) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, actual);
        return;
      }
      const expected = existsSync(path) ? readFileSync(path, 'utf8') : '';
      if (actual !== expected) writeFileSync(`${path}.actual`, actual);
      else rmSync(`${path}.actual`, { force: true });
      expect(actual).toBe(expected);
    },
  };
}
