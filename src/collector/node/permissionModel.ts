import { commandOf, readOf } from '../../base/proc.ts';
import type { EnteredProcess } from '../program/entryFacts.ts';
import { ownOptions } from './nodeOptions.ts';

const turnsOn = /^--(?:experimental-)?permission$/;
const inherited = 'NODE_OPTIONS=';
const grants = '--allow-addons and --allow-fs-read=*';

/**
 * Why functions of a Node program cannot be traced, as a clause, and what to do; null: nothing speaks against it. Its
 * permission model (Node 20 and later) ends a program that may not read what it has to load first.
 */
export function whyUntracedNode(
  process: EnteredProcess | null,
): { readonly why: string; readonly hint: string } | null {
  if (process === null) return null;
  const options = optionsOf(process.pid);
  if (!options.some((option) => turnsOn.test(option))) return null;
  const readsAll = options.some(
    (option, at) =>
      option === '--allow-fs-read=*' || (option === '--allow-fs-read' && options[at + 1] === '*'),
  );
  if (readsAll && options.includes('--allow-addons')) return null;
  return {
    why: `whose permission model (--permission) lets it load no tracer without ${grants}`,
    hint: `Start it with ${grants} as well, Node 20 also with --allow-worker.`,
  };
}

/** Of its command line before the script, and of NODE_OPTIONS. */
function optionsOf(pid: number): string[] {
  const [, ...words] = commandOf(pid);
  const variables = (readOf(pid, 'environ') ?? '').split('\0');
  const more = variables.find((one) => one.startsWith(inherited))?.slice(inherited.length) ?? '';
  return [...ownOptions(words).options, ...more.split(' ')];
}
