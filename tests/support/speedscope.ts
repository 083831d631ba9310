import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { listAt, numberAt, textAt } from './read.ts';
import { packageRoot } from './strobe.ts';

/** A profile as speedscope's importers understood it. */
export interface ImportedProfile {
  readonly name: string;
  readonly unit: string;
  readonly totalWeight: number;
  /** `main;load;read` of every frame that was opened, in order. */
  readonly opened: readonly string[];
}

/**
 * Reads a trace with speedscope's own importers, of whatever format they take it for. The package
 * is a web page in one script: it is run as far as it comes without a page, and asked for them.
 */
export async function importWithSpeedscope(name: string, text: string): Promise<ImportedProfile[]> {
  const release = join(packageRoot, 'node_modules', 'speedscope', 'dist', 'release');
  const file = readdirSync(release).find((one) => /^speedscope-.*\.js$/.test(one)) ?? '';
  const source = readFileSync(join(release, file), 'utf8');
  const made = /(\w+)=\{\};(\$?\w+)\(\1,\{importFromFileSystemDirectoryEntry/.exec(source);
  const ready = new RegExp(`\\.then\\(\\(\\)=>\\((\\$?\\w+)\\(\\),${made?.[1]}\\)\\)`).exec(source);
  if (!made || !ready) throw new Error(`speedscope's importers are not where they were in ${file}`);
  const opened = source.replace(
    made[0],
    `${made[1]}=globalThis.importers={};globalThis.makeReady=()=>${ready[1]}();${made[0].slice(made[0].indexOf(';') + 1)}`,
  );
  const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const page = createContext({ console: quiet, TextDecoder, TextEncoder, setTimeout, performance });
  runInContext('globalThis.window = globalThis', page);
  try {
    runInContext(opened, page);
  } catch {
    // There is no page to draw on; the importers were made before.
  }
  Object.assign(page, { given: { name, text } });
  const group: unknown = await runInContext(
    'makeReady(); importers.importProfileGroupFromText(given.name, given.text)',
    page,
  );
  if (group === null) throw new Error(`speedscope does not know what ${name} is`);
  Object.assign(page, { group });
  const profiles: unknown = JSON.parse(
    String(
      runInContext(
        `JSON.stringify(group.profiles.map((profile) => {
          const opened = [];
          const path = (node) => node.isRoot() ? [] : [...path(node.parent), node.frame.name];
          profile.forEachCall((node) => opened.push(path(node).join(';')), () => undefined);
          return { name: profile.getName(), unit: profile.getWeightUnit(), totalWeight: profile.getTotalWeight(), opened };
        }))`,
        page,
      ),
    ),
  );
  return listAt({ profiles }, 'profiles').map((profile) => ({
    name: textAt(profile, 'name'),
    unit: textAt(profile, 'unit'),
    totalWeight: numberAt(profile, 'totalWeight'),
    opened: listAt(profile, 'opened').map(String),
  }));
}
