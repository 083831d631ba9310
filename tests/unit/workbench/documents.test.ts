import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../support/strobe.ts';

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

/** Paths a text names in backquotes: with a slash, and without wildcards or placeholders. */
function namedPaths(text: string): string[] {
  return [...text.matchAll(/`([A-Za-z.][\w.-]*(?:\/[\w.-]+)+\/?)`/g)].map(
    (match) => match[1] ?? '',
  );
}

/** What set-up makes is no part of a clone. */
function missingPaths(text: string): string[] {
  const own = namedPaths(text).filter((path) => !path.startsWith('.cache/'));
  return own.filter((path) => !existsSync(join(packageRoot, path)));
}

/** Folders that hold code: each has a heading on the architecture page. */
function codeFolders(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(packageRoot, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .filter((entry) => readdirSync(join(packageRoot, folder, entry.name)).length > 0)
      .map((entry) => `${folder}/${entry.name}`);
  return [...below('src'), ...below('native'), 'agent'];
}

function uncovered(page: string, folders: readonly string[]): string[] {
  const headings = page.split('\n').filter((line) => line.startsWith('#'));
  return folders.filter((folder) => !headings.some((line) => line.includes(`\`${folder}\``)));
}

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');

  it('names only what exists [workbench.documents]', () => {
    expect(namedPaths(page).length).toBeGreaterThan(30);
    expect(missingPaths(page)).toEqual([]);
  });

  it('has a heading for every folder of code [workbench.documents]', () => {
    expect(codeFolders().length).toBeGreaterThan(8);
    expect(uncovered(page, codeFolders())).toEqual([]);
  });

  it('stays readable', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(300);
    expect(read('AGENTS.md').split('\n').length).toBeLessThanOrEqual(40);
  });
});

it.each(['README.md', 'AGENTS.md', 'CHANGELOG.md'].concat(decisions()))(
  '%s names only what exists',
  (path) => {
    expect(missingPaths(read(path))).toEqual([]);
  },
);

it('decisions are numbered without gaps', () => {
  expect(decisions().map((path) => Number(path.slice(9, 13)))).toEqual(
    decisions().map((_, index) => index + 1),
  );
});

it('reports a planted path and a planted folder', () => {
  expect(missingPaths('see `src/base/clock.ts` and `src/base/nowhere.ts`, not `*.ts`')).toEqual([
    'src/base/nowhere.ts',
  ]);
  expect(uncovered('### `src/base`\ntext about `src/model`', ['src/base', 'src/model'])).toEqual([
    'src/model',
  ]);
});

function decisions(): string[] {
  return readdirSync(join(packageRoot, 'docs', 'adr'))
    .toSorted()
    .map((name) => `docs/adr/${name}`);
}
